using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>A worker is killed while it runs a call: how soon the call ends for its caller, beside how soon the kernel itself says of that very process that it is gone.</summary>
internal static class WeirDeaths
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    /// <summary>So many workers of a pool of one, one after the other.</summary>
    public static async Task<IEnumerable<ControlLine>> RunAsync(WorkerPool pool, int count)
    {
        // Files of its own: a call that has killed its workers is run no more, and another round is another call.
        var folder = Directory.CreateTempSubdirectory("weir-lab-deaths-");
        try
        {
            return await RunAsync(pool, count, folder.FullName);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private static async Task<IEnumerable<ControlLine>> RunAsync(WorkerPool pool, int count, string folder)
    {
        var probe = pool.GetProxy<IWorkerProbeClient>();
        var (calls, kernel, quotients) = (new List<double>(count), new List<double>(count), new List<double>(count));
        for (var i = 0; i < count; i++)
        {
            var pid = await probe.ProcessId();
            var begun = Path.Combine(folder, $"{i}");
            var hanging = probe.Hang(begun).AsTask();

            // A call that was sent and has not begun would move on to the next worker.
            await ControlledPool.UntilAsync(Clock.Now, () => File.Exists(begun));
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

    private static async Task EndAsync(Task<string> hanging)
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
