using Weir.Lab.Contenders.Hosting;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>A pool whose calls compute without an end, although their callers leave: to a worker a deadline that passes is the same.</summary>
internal sealed class WeirHungProgram : ContenderProgram
{
    private static readonly TimeSpan Grace = TimeSpan.FromMilliseconds(50);

    private readonly MetricsListener _metrics = new();

    public override async Task<IEnumerable<ControlLine>> LinesAsync(ControlLine request) => request.Verb switch
    {
        "hang" => await HangAsync(request.Int("calls")),
        _ => await base.LinesAsync(request),
    };

    public override async ValueTask DisposeAsync()
    {
        _metrics.Dispose();
        await base.DisposeAsync();
    }

    /// <summary>So many calls, one after the other, each in a worker of its own: it is killed when the grace has passed, and its report should say where it was.</summary>
    private static async Task<IEnumerable<ControlLine>> HangAsync(int calls)
    {
        var (reports, stacks) = (0, 0);
        var looks = new double[calls];
        for (var i = 0; i < calls; i++)
        {
            var reported = new TaskCompletionSource<CrashReport>(TaskCreationOptions.RunContinuationsAsynchronously);
            await using var pool = new ControlledPool(options => (options.CancelGrace, options.OnCrash) = (Grace, report => reported.TrySetResult(report)));
            var pid = await pool.Client.ProcessId();
            var begun = Path.Combine(Path.GetTempPath(), $"weir-lab-{Path.GetRandomFileName()}");
            using var leaving = new CancellationTokenSource();
            var hanging = ControlledPool.EndAsync(pool.Client.Spin(begun, leaving.Token));
            await ControlledPool.UntilAsync(Clock.Now, () => File.Exists(begun));
            File.Delete(begun);

            // From the moment from which it may be killed to the moment in which it is gone: the look, and the kill.
            var left = Clock.Now;
            await leaving.CancelAsync();
            looks[i] = await ControlledPool.UntilGoneAsync(left, pid) - Grace.TotalMilliseconds;
            await hanging;
            var report = await reported.Task.WaitAsync(TimeSpan.FromSeconds(10));
            reports += report.ProcessId == pid ? 1 : 0;
            stacks += report.Stack?.Contains(nameof(Controlled.Spin), StringComparison.Ordinal) == true ? 1 : 0;
        }

        Array.Sort(looks);
        return
        [
            Readings.Reading("reports", reports, ""),
            Readings.Reading("reports with a stack", stacks, ""),
            Readings.Reading("look and kill, median", looks[calls / 2], "ms"),
            Readings.Reading("look and kill, longest", looks[^1], "ms"),
            Readings.Done(),
        ];
    }
}
