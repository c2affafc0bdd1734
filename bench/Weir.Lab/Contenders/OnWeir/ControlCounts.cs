using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Options that are numbers, as workers show them.</summary>
internal static class ControlCounts
{
    // Reports of crashes come when all else is done.
    private static readonly TimeSpan UntilReported = TimeSpan.FromMilliseconds(150);

    /// <summary>One after the other: each with a pool of its own, and the kernel's word for how many processes there are.</summary>
    public static async Task<IEnumerable<ControlLine>> ReadAsync() =>
    [
        Readings.Reading("WarmUp", await WarmUpsAsync(true), ""),
        Readings.Reading("WarmUp off", await WarmUpsAsync(false), ""),
        Readings.Reading("Configuration", await ConfiguredAsync(), ""),
        Readings.Reading("Concurrency", await TogetherAsync(), ""),
        Readings.Reading("MinWorkers", await KeptAsync(), ""),
        Readings.Reading("MaxWorkers", await MostAsync(), ""),
        Readings.Reading("MaxCallsPerWorker", await CallsPerWorkerAsync(), ""),
        Readings.Reading("MaxRetries", await RetriesAsync(), ""),
        Readings.Reading("QuarantineKills", await KillsAsync(), ""),
        Readings.Reading("RestartBudget", await StartsAsync(), ""),
        Readings.Reading("PayloadLimitBytes", await LargestAsync(), "B"),
        Readings.Done(),
    ];

    private static int Children => new ProcessMeter(Environment.ProcessId).Children.Count(pid => new ProcessMeter(pid).IsAlive);

    private static async Task<double> WarmUpsAsync(bool isOn)
    {
        await using var pool = new ControlledPool(options => options.WarmUp = isOn);
        return await pool.Client.WarmUps();
    }

    private static async Task<double> ConfiguredAsync()
    {
        await using var pool = new ControlledPool(options => options.Configuration["answer"] = "42");
        return await pool.Client.Configured("answer") == "42" ? 1 : 0;
    }

    private static async Task<double> TogetherAsync()
    {
        await using var pool = new ControlledPool(options => options.Concurrency = Asked.Concurrency);
        await pool.Client.ProcessId();
        return (await Task.WhenAll(Enumerable.Range(0, 3 * Asked.Concurrency).Select(_ => pool.Client.Together(30).AsTask()))).Max();
    }

    private static async Task<double> KeptAsync()
    {
        await using var pool = new ControlledPool(options => (options.MinWorkers, options.MaxWorkers) = (Asked.MinWorkers, Asked.MaxWorkers));
        await pool.ReadyAsync();
        return Children;
    }

    private static async Task<double> MostAsync()
    {
        await using var pool = new ControlledPool(options => options.MaxWorkers = Asked.MaxWorkers);
        var calls = Task.WhenAll(Enumerable.Range(0, 8 * Asked.MaxWorkers).Select(_ => pool.Client.Together(30).AsTask()));
        var most = 0;
        while (!calls.IsCompleted)
        {
            most = Math.Max(most, Children);
            await Task.Delay(5);
        }

        await calls;
        return most;
    }

    private static async Task<double> CallsPerWorkerAsync()
    {
        await using var pool = new ControlledPool(options => (options.MaxWorkers, options.MaxCallsPerWorker) = (2, Asked.CallsPerWorker));
        var calls = new Dictionary<int, int>();
        for (var i = 0; i < 4 * Asked.CallsPerWorker; i++)
        {
            var worker = await pool.Client.ProcessId();
            calls[worker] = calls.GetValueOrDefault(worker) + 1;
        }

        return calls.Values.Max();
    }

    // As often as a call was run again that takes every worker along.
    private static async Task<double> RetriesAsync()
    {
        await using var pool = new ControlledPool(options => (options.MaxRetries, options.QuarantineKills) = (Asked.Retries, 0));
        await ControlledPool.EndAsync(pool.Client.Crash(1));
        await Task.Delay(UntilReported);
        return pool.Crashes - 1;
    }

    // The same call until it is turned away.
    private static async Task<double> KillsAsync()
    {
        await using var pool = new ControlledPool(options => (options.MaxRetries, options.QuarantineKills) = (0, Asked.QuarantineKills));
        for (var i = 0; i < Asked.QuarantineKills + 2; i++)
            await ControlledPool.EndAsync(pool.Client.Crash(1));
        await Task.Delay(UntilReported);
        return pool.Crashes;
    }

    // Workers that cannot start: so many are tried, and for a second no more.
    private static async Task<double> StartsAsync()
    {
        await using var pool = new ControlledPool(options =>
        {
            options.RestartBudget = Asked.RestartBudget;
            options.EnvironmentVariables[Controlled.ColdVariable] = "throws";
        });
        await ControlledPool.UntilAsync(Clock.Now, () => pool.Crashes >= Asked.RestartBudget);
        await Task.Delay(UntilReported);
        return pool.Crashes;
    }

    // The largest payload that goes through, to within a hundred bytes: what else a call says counts as well.
    private static async Task<double> LargestAsync()
    {
        await using var pool = new ControlledPool(options => options.PayloadLimitBytes = Asked.PayloadBytes);
        var largest = 0;
        foreach (var bytes in new[] { Asked.PayloadBytes - 100, Asked.PayloadBytes + 1 })
        {
            try
            {
                largest = await pool.Client.LengthOf(new byte[bytes]);
            }
            catch (PayloadTooLargeException)
            {
                return largest + 100;
            }
        }

        return largest;
    }
}
