using System.Security.Claims;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Options that are numbers, as workers show them.</summary>
internal static class ControlCounts
{
    // Reports of crashes come when all else is done.
    private static readonly TimeSpan UntilReported = TimeSpan.FromMilliseconds(150);

    // Workers are started ahead when all have been busy for as long as a start takes, and then take that long themselves.
    private static readonly TimeSpan UntilAhead = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan MostUntilAhead = TimeSpan.FromSeconds(3);

    /// <summary>One after the other: each with a pool of its own, and the kernel's word for how many processes there are.</summary>
    public static async Task<IEnumerable<ControlLine>> ReadAsync() =>
    [
        Readings.Reading("WarmUp", await WarmUpsAsync(true), ""),
        Readings.Reading("WarmUp off", await WarmUpsAsync(false), ""),
        Readings.Reading("Configuration", await ConfiguredAsync(), ""),
        Readings.Reading("InheritedConfiguration", await InheritedAsync(), ""),
        Readings.Reading("Concurrency", await TogetherAsync(), ""),
        Readings.Reading("MinWorkers", await KeptAsync(), ""),
        Readings.Reading("MaxWorkers", await MostAsync(), ""),
        Readings.Reading("MaxCallsPerWorker", await CallsPerWorkerAsync(), ""),
        Readings.Reading("MaxRetries", await RetriesAsync(), ""),
        Readings.Reading("QuarantineKills", await KillsAsync(), ""),
        Readings.Reading("QuarantineTime zero", await UnheldAsync(), ""),
        Readings.Reading("RestartBudget", await StartsAsync(), ""),
        Readings.Reading("PayloadLimitBytes", await LargestAsync(), "B"),
        Readings.Reading("StandbyWorkers", await StandbyAsync(Asked.StandbyWorkers), ""),
        Readings.Reading("StandbyWorkers none", await StandbyAsync(0), ""),
        Readings.Reading("Command", await CommandAsync(), ""),
        Readings.Reading("BestEffort", await ContentAsync(), ""),
        Readings.Reading("BestEffort off", await RefusedAsync() ? 1 : 0, ""),
        Readings.Reading("OnCrash", await ReportsAsync(), ""),
        Readings.Reading("SharedData", await SharedAsync(), "B"),
        Readings.Reading("SendsCaller", await CallersAsync(true), ""),
        Readings.Reading("SendsCaller off", await CallersAsync(false), ""),
        Readings.Reading("Dumps", await DumpsAsync(), ""),
        Readings.Reading(OfAllPools, await MostOfAllAsync(), ""),
        Readings.Done(),
    ];

    /// <summary>The reading of the application's own limit.</summary>
    public const string OfAllPools = "MaxWorkers of all pools";

    private static int Children => Workers.Count;

    private static List<int> Workers => [.. new ProcessMeter(Environment.ProcessId).Children.Where(pid => new ProcessMeter(pid).IsAlive)];

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

    // Of two sections of the host the one that is named.
    private static async Task<double> InheritedAsync()
    {
        var host = new ConfigurationBuilder().AddInMemoryCollection([new("Shared:Word", "yes"), new("Private:Word", "no")]).Build();
        await using var pool = new ControlledPool(options => options.InheritedConfiguration = ["Shared"], host);
        return await pool.Client.Configured("Shared:Word") == "yes" && await pool.Client.Configured("Private:Word") == "" ? 1 : 0;
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

    // Beyond the one that is busy, and ready: where there are any, one of them answers.
    private static async Task<double> StandbyAsync(int asked)
    {
        await using var pool = new ControlledPool(options => (options.MaxWorkers, options.StandbyWorkers) = (4, asked));
        var busy = await pool.Client.ProcessId();
        using var leaving = new CancellationTokenSource();
        var waiting = ControlledPool.EndAsync(pool.Client.Together(60_000, leaving.Token));
        var began = Clock.Now;
        do
            await Task.Delay(UntilAhead);
        while (Others().Length < asked && Clock.SecondsSince(began) < MostUntilAhead.TotalSeconds);

        var others = Others();
        var answered = others.Length == 0 ? 0 : await pool.Client.ProcessId();
        var isReady = others.Length == 0 || others.Contains(answered);
        await leaving.CancelAsync();
        await waiting;
        return isReady ? others.Length : -others.Length;

        int[] Others() => [.. Workers.Where(pid => pid != busy)];
    }

    // A program that serves nothing and stays for a moment: what it was started as is enough.
    private static async Task<double> CommandAsync()
    {
        string[] command = ["/bin/sh", "-c", "sleep 1; :"];
        string[] whole = [.. command, "--host", $"{Environment.ProcessId}"];
        await using var pool = WeirStart.Pool(ForeignWorkers.Pool, options => (options.Command, options.MaxWorkers) = (command, 1));
        var began = Clock.Now;
        while (Clock.SecondsSince(began) < 0.8)
        {
            if (Workers.Any(pid => new ProcessMeter(pid).CommandLine.SequenceEqual(whole)))
                return 1;
            await Task.Delay(5);
        }

        return 0;
    }

    // Limits that its worker says it lacks, while it works.
    private static async Task<double> ContentAsync()
    {
        await using var pool = new ControlledPool(options => (options.BestEffort, options.Processors) = (true, [Asked.NoSuchProcessor]));
        await pool.Client.ProcessId();
        return pool.Missing.Count;
    }

    private static async Task<bool> RefusedAsync()
    {
        try
        {
            await using var pool = new ControlledPool(options => options.Processors = [Asked.NoSuchProcessor]);
            await pool.Client.ProcessId();
            return false;
        }
        catch (InvalidOperationException exception)
        {
            return exception.Message.Contains(WeirCodes.LimitNotApplied, StringComparison.Ordinal);
        }
    }

    // For one worker failure: the other workers are drained, which is not reported.
    private static async Task<double> ReportsAsync()
    {
        var pool = new ControlledPool(_ => { });
        await using (pool)
        {
            var pid = await pool.Client.ProcessId();
            Kernel.Kill(pid);
            await ControlledPool.UntilGoneAsync(Clock.Now, pid);
            await pool.Client.ProcessId();
            await Task.Delay(UntilReported);
            if (pool.ReportsOf(pid) != 1)
                return -pool.ReportsOf(pid);
        }

        return pool.Crashes;
    }

    private static async Task<double> SharedAsync()
    {
        var source = Path.GetTempFileName();
        try
        {
            await File.WriteAllBytesAsync(source, new byte[Asked.SharedBytes]);
            await using var pool = new ControlledPool(options => options.AddSharedData("word", source));
            return await pool.Client.Shared("word");
        }
        finally
        {
            File.Delete(source);
        }
    }

    private static async Task<double> CallersAsync(bool isOn)
    {
        await using var pool = new ControlledPool(options => options.SendsCaller = isOn);
        return await pool.Client.Caller(new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.Name, "ann")], "lab"))) == "ann" ? 1 : 0;
    }

    // Two workers hang, and the folder keeps the dumps of one.
    private static async Task<double> DumpsAsync()
    {
        var folder = Directory.CreateTempSubdirectory("weir-lab-dumps-");
        try
        {
            await using var pool = new ControlledPool(options =>
                (options.Dumps, options.CancelGrace) = (new DumpOptions { Folder = folder.FullName, MaxCount = Asked.Dumps }, TimeSpan.FromMilliseconds(50)));
            for (var hung = 1; hung <= Asked.Dumps + 1; hung++)
            {
                using var leaving = new CancellationTokenSource();
                await pool.Client.ProcessId();
                var waiting = ControlledPool.EndAsync(pool.Client.Ignore(60_000, leaving.Token));
                await Task.Delay(UntilReported);
                await leaving.CancelAsync();
                await waiting;
                await ControlledPool.UntilAsync(Clock.Now, () => pool.Crashes == hung);
            }

            return folder.GetFiles("weir-*.dmp").Length;
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    // Two pools, each of which may have as many as both together.
    private static async Task<double> MostOfAllAsync()
    {
        await using var services = new ServiceCollection().AddLogging().AddWeir(weir =>
        {
            WeirPools.Configure(weir, "", 0);
            weir.MaxWorkers = Asked.ApplicationWorkers;
            weir.Pool(Controlled.Pool).MaxWorkers = Asked.ApplicationWorkers;
            weir.Pool("tasks").MaxWorkers = Asked.ApplicationWorkers;
        }).BuildServiceProvider();
        services.GetRequiredService<WeirRuntime>().Start();
        var (one, other) = (services.GetRequiredService<IControlledClient>(), services.GetRequiredService<IHelloTasksClient>());
        var calls = Task.WhenAll(Enumerable.Range(0, 8).SelectMany(_ => new Task[] { one.Together(30).AsTask(), other.LoadOf(1 << 20).AsTask() }));
        var most = 0;
        while (!calls.IsCompleted)
        {
            most = Math.Max(most, Workers.Count);
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

    // Every worker failure is forgotten at once: the same call is run each time.
    private static async Task<double> UnheldAsync()
    {
        await using var pool = new ControlledPool(options =>
            (options.MaxRetries, options.QuarantineKills, options.QuarantineTime) = (0, 1, TimeSpan.Zero));
        for (var i = 0; i < Asked.UnheldDeaths; i++)
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
