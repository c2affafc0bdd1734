using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Options that are times: how many milliseconds after the one that was asked for it happens.</summary>
internal static class ControlTimes
{
    private static readonly TimeSpan Time = TimeSpan.FromMilliseconds(Asked.Time);

    /// <summary>All at once: everybody waits.</summary>
    public static async Task<IEnumerable<ControlLine>> ReadAsync()
    {
        (string Option, Func<Task<double>> Measure)[] times =
        [
            ("IdleTimeout", IdleAsync),
            ("CancelGrace", GraceAsync),
            ("StartTimeout", StartAsync),
            ("StallTimeout", StallAsync),
            ("MaxWorkerAge", AgeAsync),
            ("SilenceTimeout", SilenceAsync),
        ];
        var late = await Task.WhenAll(times.Select(time => Task.Run(time.Measure)));
        return [.. times.Zip(late, (time, milliseconds) => Readings.Reading(time.Option, milliseconds - Asked.Time, "ms late")), Readings.Done()];
    }

    private static async Task<double> IdleAsync()
    {
        await using var pool = new ControlledPool(options => (options.MinWorkers, options.IdleTimeout) = (0, Time));
        var pid = await pool.Client.ProcessId();
        return await ControlledPool.UntilGoneAsync(Clock.Now, pid);
    }

    private static async Task<double> GraceAsync()
    {
        await using var pool = new ControlledPool(options => options.CancelGrace = Time);
        var pid = await pool.Client.ProcessId();
        using var leaving = new CancellationTokenSource();
        var ignoring = ControlledPool.EndAsync(pool.Client.Ignore(60_000, leaving.Token));
        await Task.Delay(50);
        var left = Clock.Now;
        await leaving.CancelAsync();
        var milliseconds = await ControlledPool.UntilGoneAsync(left, pid);
        await ignoring;
        return milliseconds;
    }

    private static async Task<double> StartAsync()
    {
        var began = Clock.Now;
        await using var pool = new ControlledPool(options =>
        {
            options.StartTimeout = Time;
            options.EnvironmentVariables[Controlled.ColdVariable] = "hangs";
        });
        return await ControlledPool.UntilAsync(began, () => pool.Crashes > 0);
    }

    // A reader who takes one and stands still keeps his worker no longer than that.
    private static async Task<double> StallAsync()
    {
        await using var pool = new ControlledPool(options => options.StallTimeout = Time);
        await pool.Client.ProcessId();
        await using var reader = pool.Client.Blocks().GetAsyncEnumerator();
        await reader.MoveNextAsync();
        return await ControlledPool.UntilAsync(Clock.Now, () => pool.State == "idle");
    }

    private static async Task<double> AgeAsync()
    {
        await using var pool = new ControlledPool(options => (options.MaxWorkers, options.MaxWorkerAge) = (2, Time));
        var pid = await pool.Client.ProcessId();
        return await ControlledPool.UntilGoneAsync(Clock.Now, pid);
    }

    // A worker that was stopped: the call moves on to another one.
    private static async Task<double> SilenceAsync()
    {
        await using var pool = new ControlledPool(options => options.SilenceTimeout = Time);
        var pid = await pool.Client.ProcessId();
        Kernel.Stop(pid);
        var asked = Clock.Now;
        await pool.Client.ProcessId();
        return Clock.SecondsSince(asked) * 1_000;
    }
}
