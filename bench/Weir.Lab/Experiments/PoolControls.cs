using System.Globalization;
using System.Net;
using Weir.Lab.Contenders.OnWeir;
using Weir.Lab.Engine;
using Weir.Lab.Isolation;
using Weir.Lab.Measuring;
using Weir.Lab.Processes;

namespace Weir.Lab.Experiments;

/// <summary>Does every option of a pool hold, as the kernel, the workers and the clock show it?</summary>
internal sealed class PoolControls : Experiment
{
    private const string Kernel = "read back from the kernel";
    private const string Group = "read back from the control group";
    private const string Counts = "shown by workers";
    private const string Times = "by the clock";
    private const string Queue = "by calls over HTTP";
    private const string Memory = "memory";
    private const string MaxWorkers = "MaxWorkers";
    private const string Standby = "StandbyWorkers";
    private const string QueueLimit = "QueueLimit";
    private const string Soft = "MemorySoftLimitBytes";
    private const int IdleMilliseconds = 300;
    private const double MostLate = 300;

    // A timer of the runtime counts whole milliseconds, and so does what it is compared with.
    private const double MostEarly = 2;

    // For how long calls keep a worker and its queue busy, and how long those that are turned away at once may take.
    private static readonly TimeSpan BusyFor = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan AtOnce = TimeSpan.FromSeconds(0.7);

    // Beyond the idle timeout: an end takes some milliseconds, and a busy machine some more.
    private static readonly TimeSpan UntilGone = TimeSpan.FromMilliseconds(500);

    private static readonly (string Option, double Asked, string Unit)[] KernelOptions =
    [
        ("MemoryLimitBytes", Asked.MemoryMegabytes, "MB"),
        ("Priority (nice, every thread)", Asked.LowestNice, ""),
        ("Processors (every thread)", LastProcessor, ""),
        ("OomScoreAdjustment", Math.Min(1000, new WorkerLimits(Environment.ProcessId).OomScoreAdjustment + Asked.OomScoreAdjustment), ""),
        ("InheritedVariables", 1, ""),
        ("EnvironmentVariables", 1, ""),
        ("WorkingDirectory", 1, ""),
    ];

    private static readonly (string Option, double Asked, string Unit)[] GroupOptions =
        [("ProcessLimit", Asked.Processes, ""), ("CpuLimit", Asked.Cpus, ""), ("MemoryLimitBytes, group", Asked.MemoryMegabytes, "MB"), ("ControlGroup", 1, ""), ("ControlGroup never", 0, "")];

    private static readonly (string Option, double Asked, string Unit)[] CountOptions =
    [
        ("WarmUp", 1, ""), ("WarmUp off", 0, ""), ("Configuration", 1, ""), ("InheritedConfiguration", 1, ""), ("Concurrency", Asked.Concurrency, ""), ("MinWorkers", Asked.MinWorkers, ""),
        (MaxWorkers, Asked.MaxWorkers, ""), ("MaxCallsPerWorker", Asked.CallsPerWorker, ""), ("MaxRetries", Asked.Retries, ""),
        ("QuarantineKills", Asked.QuarantineKills, ""), ("QuarantineTime zero", Asked.UnheldDeaths, ""), ("RestartBudget", Asked.RestartBudget, ""), ("PayloadLimitBytes", Asked.PayloadBytes, "B"),
        (Standby, Asked.StandbyWorkers, ""), ("StandbyWorkers none", 0, ""), ("Command", 1, ""), ("BestEffort", 1, ""), ("BestEffort off", 1, ""), ("OnCrash", 1, ""),
        ("SharedData", Asked.SharedBytes, "B"), ("SendsCaller", 1, ""), ("SendsCaller off", 0, ""), ("Dumps", Asked.Dumps, ""),
        (ControlCounts.OfAllPools, Asked.ApplicationWorkers, ""),
    ];

    private static readonly (string Option, double Asked, string Unit)[] QueueOptions = [(QueueLimit, Asked.QueueLimit, "")];

    private static readonly string[] TimeOptions = ["IdleTimeout", "CancelGrace", "StartTimeout", "StallTimeout", "MaxWorkerAge", "SilenceTimeout", "QuarantineTime"];

    /// <summary>The options that it reads back: what a figure is about stands first in its name.</summary>
    public static IEnumerable<string> OptionsRead =>
        new[] { KernelOptions, GroupOptions, CountOptions, QueueOptions }.SelectMany(options => options.Select(option => option.Option)).Concat(TimeOptions).Append(Soft)
            .Select(name => name.Split(' ', ',')[0]).Distinct();

    public override string Name => "pool-controls";

    public override string Question => "Does every option of a pool hold, and does memory come back after it was idle?";

    public override string? Document => "003";

    public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(scale.Pick(14, 14, 45));

    public override IEnumerable<Case> Cases(Scale scale)
    {
        yield return Case(Kernel, scale, ReadKernelAsync, Given(Kernel, KernelOptions));
        yield return Case(
            Group, scale, ReadGroupAsync, Given(Group, GroupOptions),
            WorkerLimits.CanMakeGroups() ? Availability.Present : Availability.Missing("control groups that may be written: as root, or in a service with Delegate=yes"));
        yield return Case(Counts, scale, (process, cancellation) => process.RunAsync(new ControlLine("counts"), cancellation), Given(Counts, CountOptions));
        yield return Case(
            Queue, scale, ReadQueueAsync, Given(Queue, QueueOptions),
            launch: ProgramLaunch.OfLab("weir", $"pool={Controlled.Pool}", "workers=1", $"queue={Asked.QueueLimit}"));
        yield return Case(Times, scale, (process, cancellation) => process.RunAsync(new ControlLine("times"), cancellation), []);
        yield return Case(Memory, scale, ReturnMemoryAsync, []);
    }

    public override IEnumerable<Promise> Promises(Measured measured, Scale scale)
    {
        // Where no group can be had, nothing is promised of it: the start of a pool that asks for one is an error.
        (string Case, (string Option, double Asked, string Unit)[] Options)[] exact =
            [(Kernel, KernelOptions), .. WorkerLimits.CanMakeGroups() ? [(Group, GroupOptions)] : Array.Empty<(string, (string, double, string)[])>(), (Counts, CountOptions), (Queue, QueueOptions)];
        foreach (var (name, option, asked) in exact.SelectMany(item => item.Options.Select(option => (item.Case, option.Option, option.Asked))))
        {
            // A pool does not grow to its maximum where the machine has no processor left.
            yield return option switch
            {
                MaxWorkers or ControlCounts.OfAllPools or Standby => Promise.Count($"{option} is never exceeded", measured["weir", name, option], Relation.AtMost, asked),
                _ => Promise.Count($"{option} is as asked", measured["weir", name, option], Relation.Exactly, asked),
            };
        }

        yield return Promise.Count($"{Standby}: one is ready beside a worker that is busy", measured["weir", Counts, Standby], Relation.AtLeast, 1);
        foreach (var option in TimeOptions)
        {
            yield return Promise.Latency($"{option} is kept: at most {MostLate} ms late", measured["weir", Times, option], MostLate);
            yield return Promise.Count($"{option} is never early: at most {MostEarly} ms", measured["weir", Times, ControlTimes.EarlyOf(option)], Relation.AtMost, MostEarly);
        }

        yield return Promise.Count($"{Soft} replaces no worker that holds less", measured["weir", Memory, "below: replaced"], Relation.Exactly, 0);
        yield return Promise.Count($"{Soft} replaces a worker that holds more", measured["weir", Memory, "above: replaced"], Relation.Exactly, 1);
        yield return Promise.Count("workers hold no memory after they were idle", measured["weir", Memory, "workers idle"], Relation.Exactly, 0);
        yield return Promise.Ratio("a hundredth of the memory is left at most", measured["weir", Memory, "idle ÷ busy"], Relation.AtMost, 0.01);
    }

    private static double LastProcessor => Environment.ProcessorCount - 1;

    private static Case Case(
        string name, Scale scale, Func<ContenderProcess, CancellationToken, Task<Round>> drive, IReadOnlyList<Row> given, Availability? needs = null,
        ProgramLaunch? launch = null) =>
        new(name, [FreshContender.Of("weir", launch ?? ProgramLaunch.OfLab("weir-controls"), drive, needs)])
        {
            Rounds = scale.Pick(1, 1, 3),
            WarmUp = false,
            Given = given,
        };

    private static IReadOnlyList<Row> Given(string name, (string Option, double Asked, string Unit)[] options) =>
        [.. options.Select(option => Row.Fixed("asked", name, option.Option, option.Asked, option.Unit))];

    private static async Task<Round> ReadKernelAsync(ContenderProcess process, CancellationToken cancellation)
    {
        var folder = Directory.CreateTempSubdirectory("weir-lab-controls-");
        try
        {
            var opened = await process.AskAsync(new ControlLine("limited").With("processor", LastProcessor).With("folder", folder.FullName), cancellation);
            var worker = new WorkerLimits(opened.Int("pid"));

            // What Weir sets for the runtime is not of the host.
            string[] inherited = [.. worker.Variables.Where(name => name != Asked.Given && !name.StartsWith("DOTNET_", StringComparison.Ordinal))];
            return Round(
                KernelOptions,
                worker.DataBytes / (1 << 20),
                worker.Nice(Asked.LowestNice),
                double.TryParse(worker.Processors, CultureInfo.InvariantCulture, out var processor) ? processor : -1,
                worker.OomScoreAdjustment,
                inherited is [Asked.Inherited] ? 1 : -inherited.Length,
                worker.Variables.Count(name => name == Asked.Given),
                worker.Folder == folder.FullName ? 1 : 0);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private static async Task<Round> ReadGroupAsync(ContenderProcess process, CancellationToken cancellation)
    {
        var worker = new WorkerLimits((await process.AskAsync(new ControlLine("grouped"), cancellation)).Int("pid"));
        var (processes, cpus, bytes) = (worker.Processes, worker.Cpus, worker.GroupBytes / (1 << 20));
        return Round(GroupOptions, processes, cpus, bytes, await IsApartAsync("apart"), await IsApartAsync("together"));

        // Whether the worker of such a pool is in another group than its host.
        async Task<double> IsApartAsync(string verb) =>
            new ProcessMeter((await process.AskAsync(new ControlLine(verb), cancellation)).Int("pid")).Groups == process.Meter.Groups ? 0 : 1;
    }

    // One call runs, so many wait, and the rest are turned away at once.
    private static async Task<Round> ReadQueueAsync(ContenderProcess process, CancellationToken cancellation)
    {
        const int beyond = 3;
        using var client = new HttpClient();
        (await client.PostAsync(Served.Address(process, "/Controlled/Together?milliseconds=1"), null, cancellation)).EnsureSuccessStatusCode();
        var path = Served.Address(process, FormattableString.Invariant($"/Controlled/Together?milliseconds={BusyFor.TotalMilliseconds}"));
        var began = Clock.Now;
        var answers = await Task.WhenAll(Enumerable.Range(0, 1 + Asked.QueueLimit + beyond).Select(async _ =>
        {
            using var response = await client.PostAsync(path, null, cancellation);
            return (response.StatusCode, Seconds: Clock.SecondsSince(began), Text: await response.Content.ReadAsStringAsync(cancellation));
        }));

        var rejected = answers.Count(answer =>
            answer.StatusCode == HttpStatusCode.ServiceUnavailable && answer.Seconds < AtOnce.TotalSeconds && answer.Text.Contains(QueueLimit, StringComparison.Ordinal));
        var answered = answers.Count(answer => answer.StatusCode == HttpStatusCode.OK);
        return Round(QueueOptions, rejected + answered == answers.Length ? answered - 1 : -1);
    }

    private static Round Round((string Option, double Asked, string Unit)[] options, params double[] values)
    {
        var round = new Round();
        foreach (var (option, value) in options.Zip(values))
            round.Add(option.Option, value, option.Unit);
        return round;
    }

    private static async Task<Round> ReturnMemoryAsync(ContenderProcess process, CancellationToken cancellation)
    {
        var round = await process.RunAsync(new ControlLine("soft"), cancellation);
        await process.AskAsync(
            new ControlLine("leaking").With("workers", Environment.ProcessorCount).With("megabytes", 32).With("idle", IdleMilliseconds), cancellation);
        var busy = Held(process);
        await Task.Delay(TimeSpan.FromMilliseconds(IdleMilliseconds) + UntilGone, cancellation);
        return round
            .Add("busy", busy / 1e6, "MB")
            .Add("idle", Held(process) / 1e6, "MB")
            .Add("idle ÷ busy", Held(process) / busy, "")
            .Add("workers idle", process.Meter.Children.Count(pid => new ProcessMeter(pid).IsAlive), "");
    }

    // By the workers alone.
    private static double Held(ContenderProcess process) => process.Meter.PrivateDirtyOfAll - process.Meter.PrivateDirty;
}
