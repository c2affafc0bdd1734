using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>
/// Options that are times: how many milliseconds after the one that was asked for it happens, and how many before it. Late is
/// counted from a moment that is surely not before the option's time began, early from one that is surely not after it.
/// </summary>
internal static class ControlTimes
{
    private const double Tick = 10;
    private static readonly TimeSpan Time = TimeSpan.FromMilliseconds(Asked.Time);

    /// <summary>All at the same time: every call waits.</summary>
    public static async Task<IEnumerable<ControlLine>> ReadAsync()
    {
        (string Option, Func<Task<Lapse>> Measure)[] times =
        [
            ("IdleTimeout", IdleAsync),
            ("CancelGrace", GraceAsync),
            ("StartTimeout", StartAsync),
            ("StallTimeout", StallAsync),
            ("MaxWorkerAge", AgeAsync),
            ("SilenceTimeout", SilenceAsync),
            ("QuarantineTime", QuarantineAsync),
        ];
        var lapses = await Task.WhenAll(times.Select(time => Task.Run(time.Measure)));
        return
        [
            .. times.Zip(lapses, (time, lapse) => Readings.Reading(time.Option, lapse.AtMost - Asked.Time, "ms late")),
            .. times.Zip(lapses, (time, lapse) => Readings.Reading(EarlyOf(time.Option), Early(lapse), "ms early")),
            Readings.Done(),
        ];
    }

    /// <summary>The reading of how much too early an option's time was over.</summary>
    public static string EarlyOf(string option) => $"{option}, early";

    /// <summary>How much sooner than asked, or zero.</summary>
    internal static double Early(Lapse lapse) => Math.Max(0, Asked.Time - lapse.AtLeast);

    // The call before the one that is timed has started the worker: that would be much time between the two moments.
    private static async Task<Lapse> IdleAsync()
    {
        await using var pool = new ControlledPool(options => (options.MinWorkers, options.IdleTimeout) = (0, Time));
        await pool.Client.ProcessId();
        var before = Clock.Now;
        var pid = await pool.Client.ProcessId();
        return await LapseAsync(before, Clock.Now, since => ControlledPool.UntilGoneAsync(since, pid));
    }

    private static async Task<Lapse> GraceAsync()
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
        return new Lapse(milliseconds, milliseconds);
    }

    private static async Task<Lapse> StartAsync()
    {
        var began = Clock.Now;
        await using var pool = new ControlledPool(options =>
        {
            options.StartTimeout = Time;
            options.EnvironmentVariables[Controlled.ColdVariable] = "hangs";
        });
        var pid = 0;
        await ControlledPool.UntilAsync(began, () => (pid = pool.OtherThan(0)) > 0);
        var ended = await ControlledPool.UntilGoneAsync(began, pid);
        return new Lapse(ended, await ControlledPool.UntilAsync(began, () => pool.Crashes > 0));
    }

    // A reader who takes one and stands still keeps his worker no longer than that.
    private static async Task<Lapse> StallAsync()
    {
        await using var pool = new ControlledPool(options => options.StallTimeout = Time);
        await pool.Client.ProcessId();
        await using var reader = pool.Client.Blocks().GetAsyncEnumerator();
        var before = Clock.Now;
        await reader.MoveNextAsync();
        return await LapseAsync(before, Clock.Now, since => ControlledPool.UntilAsync(since, () => pool.State == "idle"));
    }

    // The kernel says how old a worker was when the next one was started for it: in ticks, and a worker gets up to a tenth less.
    private static async Task<Lapse> AgeAsync()
    {
        await using var pool = new ControlledPool(options => (options.MaxWorkers, options.MaxWorkerAge) = (2, Time));
        var pid = await pool.Client.ProcessId();
        var after = Clock.Now;
        var began = new ProcessMeter(pid).StartedSeconds;
        var next = 0;
        await ControlledPool.UntilAsync(after, () => (next = pool.OtherThan(pid)) > 0);
        var age = (new ProcessMeter(next).StartedSeconds - began) * 1_000;
        return new Lapse(age + Tick + (0.1 * Asked.Time), await ControlledPool.UntilGoneAsync(after, pid));
    }

    // A worker that was stopped: it is ended, and the call moves on to another one.
    private static async Task<Lapse> SilenceAsync()
    {
        await using var pool = new ControlledPool(options => options.SilenceTimeout = Time);
        var pid = await pool.Client.ProcessId();
        Kernel.Stop(pid);
        var asked = Clock.Now;
        var ended = ControlledPool.UntilGoneAsync(asked, pid);
        await pool.Client.ProcessId();
        var milliseconds = await ended;
        return new Lapse(milliseconds, milliseconds);
    }

    // A call that has ended its worker is turned away until then, and would not end another one. A worker is ready long before.
    private static async Task<Lapse> QuarantineAsync()
    {
        var folder = Directory.CreateTempSubdirectory("weir-lab-quarantine-");
        try
        {
            await using var pool = new ControlledPool(options => (options.MaxRetries, options.QuarantineKills, options.QuarantineTime) = (0, 1, Time));
            await pool.Client.ProcessId();
            var harmless = Path.Combine(folder.FullName, "harmless");
            var before = Clock.Now;
            await ControlledPool.EndAsync(pool.Client.CrashWithout(harmless));
            var after = Clock.Now;
            await File.WriteAllBytesAsync(harmless, []);
            await pool.Client.ProcessId();
            return await LapseAsync(before, after, since => ControlledPool.UntilAnsweredAsync(since, () => pool.Client.CrashWithout(harmless)));
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    // The end is one; only the beginning lies between two moments.
    private static async Task<Lapse> LapseAsync(long before, long after, Func<long, Task<double>> untilAsync)
    {
        var milliseconds = await untilAsync(after);
        return new Lapse(milliseconds + Clock.MillisecondsBetween(before, after), milliseconds);
    }

    /// <summary>How many milliseconds an option's time took.</summary>
    /// <param name="AtLeast">The longest time that the observations allow: a time that is kept never appears too short. Shows what was too early.</param>
    /// <param name="AtMost">The shortest time that the observations allow: a time that is kept appears longer only by the delay of observing it. Shows what was too late.</param>
    internal readonly record struct Lapse(double AtLeast, double AtMost);
}
