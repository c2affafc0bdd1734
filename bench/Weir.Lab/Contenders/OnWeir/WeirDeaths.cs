using Weir.Execution;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>A worker is killed while it runs a call: how soon the call ends for its caller, beside how soon the kernel itself says of that very process that it is gone.</summary>
internal static class WeirDeaths
{
    // A call that was sent and has not begun would move on to the next worker.
    private static readonly TimeSpan UntilBegun = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    // A call that has killed its workers is run no more, and another round is no other call.
    private static int _number;

    /// <summary>So many workers of a pool of one, one after the other.</summary>
    public static async Task<IEnumerable<ControlLine>> RunAsync(WorkerPool pool, int count)
    {
        var probe = pool.GetProxy<IWorkerProbeClient>();
        var (calls, kernel, quotients) = (new List<double>(count), new List<double>(count), new List<double>(count));
        for (var i = 0; i < count; i++)
        {
            var pid = await probe.ProcessId();
            var hanging = probe.Hang(_number++).AsTask();
            WeirStart.WaitUntilBusy(pool, 1);
            await Task.Delay(UntilBegun);
            using var death = new DeathWatch(pid);
            var killed = Clock.Now;
            Kernel.Kill(pid);
            await EndAsync(hanging);
            var ended = Clock.Now;
            calls.Add(Clock.MillisecondsBetween(killed, ended));
            kernel.Add(Clock.MillisecondsBetween(killed, death.Wait()));
            quotients.Add(calls[^1] / kernel[^1]);
        }

        return
        [
            Readings.Reading("lost call ended p50", Median(calls), "ms"),
            Readings.Reading("bare pidfd p50", Median(kernel), "ms"),
            Readings.Reading("× pidfd", Median(quotients), ""),
            Readings.Done(),
        ];
    }

    private static async Task EndAsync(Task<int> hanging)
    {
        try
        {
            await hanging.WaitAsync(Patience);
            throw new InvalidOperationException("A call that cannot end has ended.");
        }
        catch (WorkerLostException)
        {
            // As it must.
        }
    }

    private static double Median(List<double> values)
    {
        values.Sort();
        return values[values.Count / 2];
    }
}
