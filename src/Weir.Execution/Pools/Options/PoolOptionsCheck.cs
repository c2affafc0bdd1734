using System.Diagnostics;
using Weir.Execution.Configuration;
using Weir.Execution.Processes.Linux.Launch;
using Weir.Protocol.Frames;

namespace Weir.Execution.Pools.Options;

/// <summary>Finds what is wrong with a pool's options, as far as that can be checked before a worker is started.</summary>
/// <param name="options">The options, with the defaults of all pools in them.</param>
/// <param name="pool">The pool's name.</param>
internal sealed class PoolOptionsCheck(PoolOptions options, string pool)
{
    // RLIMIT_DATA below this keeps the runtime itself from starting.
    private const long LeastMemory = 128L << 20;
    private const long LeastSoftMemory = 16L << 20;
    private const int MostConcurrency = 256;
    private const int MostAttempts = 100;
    private const int LeastProcesses = 16;
    private const int MostWorkers = 1024;
    private const int MostRestarts = 1000;
    private const int MostDumps = 10_000;
    private const long LeastDumpBytes = 1L << 20;

    // Each is a descriptor of every worker.
    private const int MostSharedData = 64;
    private const int MostSharedDataName = 64;

    // The property of WeirOptions, which knows pools and is not known by them.
    private const string Defaults = "PoolDefaults";

    // The longest time of a timer.
    private static readonly TimeSpan LongestTime = TimeSpan.FromDays(49);

    /// <exception cref="InvalidOperationException">An option contradicts another one or the machine (WEIR3002).</exception>
    public void Run()
    {
        CheckScale();
        CheckTimes();
        CheckLimits();
        CheckEnvironment();
        CheckDumps();
        CheckSharedData();
    }

    private void CheckScale()
    {
        var (min, max, queue, budget) = (options.MinWorkers, options.MaxWorkers, options.QueueLimit, options.RestartBudget);
        Require(max is >= 1 and <= MostWorkers, nameof(options.MaxWorkers), max, $"set it to 1 to {MostWorkers}");
        Require(min >= 0 && min <= max, nameof(options.MinWorkers), min, $"set it to 0 to {Bound(nameof(options.MaxWorkers), max)}");
        Require(queue is >= 0 and <= 1_000_000, nameof(options.QueueLimit), queue, "set it to 0 to 1,000,000");
        Require(options.StandbyWorkers >= 0 && options.StandbyWorkers <= max, nameof(options.StandbyWorkers), options.StandbyWorkers, $"set it to 0 to {Bound(nameof(options.MaxWorkers), max)}");
        Require(options.Concurrency is >= 1 and <= MostConcurrency, nameof(options.Concurrency), options.Concurrency, $"set it to 1 to {MostConcurrency}");
        Require(options.MaxCallsPerWorker is null or >= 1, nameof(options.MaxCallsPerWorker), options.MaxCallsPerWorker, "set it to 1 or more, or to null for any number");
        Require(options.MaxRetries is >= 0 and <= MostAttempts, nameof(options.MaxRetries), options.MaxRetries, $"set it to 0 to {MostAttempts}");
        Require(options.QuarantineKills is >= 0 and <= MostAttempts, nameof(options.QuarantineKills), options.QuarantineKills, $"set it to 0 to {MostAttempts}");
        Require(budget is >= 1 and <= MostRestarts, nameof(options.RestartBudget), budget, $"set it to 1 to {MostRestarts}");
    }

    private void CheckTimes()
    {
        const string Positive = "set it to more than zero and at most 49 days";
        Require(options.IdleTimeout is null || IsPositive(options.IdleTimeout.Value), nameof(options.IdleTimeout), options.IdleTimeout, $"{Positive}, or to null to keep idle workers");
        Require(options.CancelGrace == TimeSpan.Zero || IsPositive(options.CancelGrace), nameof(options.CancelGrace), options.CancelGrace, "set it to zero to 49 days");
        Require(options.QuarantineTime == TimeSpan.Zero || IsPositive(options.QuarantineTime), nameof(options.QuarantineTime), options.QuarantineTime, "set it to zero to 49 days");
        Require(IsPositive(options.StartTimeout), nameof(options.StartTimeout), options.StartTimeout, Positive);
        Require(options.MaxWorkerAge is null || IsPositive(options.MaxWorkerAge.Value), nameof(options.MaxWorkerAge), options.MaxWorkerAge, $"{Positive}, or to null for any age");
        Require(options.SilenceTimeout is null || IsPositive(options.SilenceTimeout.Value), nameof(options.SilenceTimeout), options.SilenceTimeout, $"{Positive}, or to null to wait without a limit");
        Require(options.StallTimeout is null || IsPositive(options.StallTimeout.Value), nameof(options.StallTimeout), options.StallTimeout, $"{Positive}, or to null to wait without a limit");

        static bool IsPositive(TimeSpan time) => time > TimeSpan.Zero && time <= LongestTime;
    }

    private void CheckLimits()
    {
        var (memory, payload, processors) = (options.MemoryLimitBytes, options.PayloadLimitBytes, options.Processors);
        Require(memory is null or >= LeastMemory, nameof(options.MemoryLimitBytes), memory, $"set it to {LeastMemory} (128 MB) or more, below which the runtime does not start, or to null for no limit");
        var soft = options.MemorySoftLimitBytes;
        Require(soft is null or >= LeastSoftMemory, nameof(options.MemorySoftLimitBytes), soft, $"set it to {LeastSoftMemory} (16 MB) or more, or to null for no limit");
        // A limit that was derived from the memory of the host contradicts nothing: a worker that reaches it is replaced as well.
        Require(soft is null || memory is null || soft < memory || !options.IsMemoryLimitSet, nameof(options.MemorySoftLimitBytes), soft, $"set it to less than {Bound(nameof(options.MemoryLimitBytes), memory)}, at which a worker fails immediately");
        Require(
            payload is >= 1024 and <= FrameReader.DefaultMostPayload, nameof(options.PayloadLimitBytes), payload,
            $"set it to 1,024 to {FrameReader.DefaultMostPayload}, and stream what is larger");
        Require(
            options.Priority is ProcessPriorityClass.Idle or ProcessPriorityClass.BelowNormal or ProcessPriorityClass.Normal or ProcessPriorityClass.AboveNormal or ProcessPriorityClass.High,
            nameof(options.Priority), options.Priority, "set it to Idle, BelowNormal, Normal, AboveNormal or High");
        Require(
            processors is null || (processors.Count > 0 && processors.All(static number => number is >= 0 and < ProcessorList.Most)), nameof(options.Processors),
            processors is { Count: > 0 } ? ProcessorList.Format(processors) : "empty", $"list numbers from 0 to {ProcessorList.Most - 1}, or set it to null for the host's own processors");
        Require(options.ControlGroup is ControlGroupUse.WhereDelegated or ControlGroupUse.Always or ControlGroupUse.Never, nameof(options.ControlGroup), options.ControlGroup, "set it to WhereDelegated, Always or Never");
        Require(options.ProcessLimit is null or >= LeastProcesses, nameof(options.ProcessLimit), options.ProcessLimit, $"set it to {LeastProcesses} or more, below which the runtime does not start, or to null for no limit");
        Require(options.CpuLimit is null or (>= 0.01 and <= ProcessorList.Most), nameof(options.CpuLimit), options.CpuLimit, $"set it to 0.01 to {ProcessorList.Most}, or to null for no limit");
        Require(
            options.ControlGroup != ControlGroupUse.Never || (options.ProcessLimit is null && options.CpuLimit is null), nameof(options.ControlGroup), options.ControlGroup,
            "set it to WhereDelegated or Always, or set ProcessLimit and CpuLimit to null, which need a control group");
        Require(options.OomScoreAdjustment is >= 0 and <= 1000, nameof(options.OomScoreAdjustment), options.OomScoreAdjustment, "set it to 0 to 1000");
    }

    private void CheckEnvironment()
    {
        Require(
            options.Command is null || (options.Command.Count > 0 && !options.Command.Any(string.IsNullOrEmpty)), nameof(options.Command), "empty, or has an empty argument",
            "name a program and its arguments, or set it to null to run this application's own services");
        var size = WorkerConfiguration.SizeOf(options.Configuration);
        var isShared = options.Configuration.Keys.Any(key => options.IsFromDefaults($"{nameof(options.Configuration)}:{key}"));
        Require(size <= WorkerConfiguration.MostBytes, nameof(options.Configuration), $"{size} bytes{(isShared ? $" with what {Defaults} has" : "")}", $"make it {WorkerConfiguration.MostBytes} bytes or less");
        foreach (var (name, value) in options.EnvironmentVariables)
        {
            Require(name.Length > 0 && name.AsSpan().IndexOfAny('=', '\0') < 0, nameof(options.EnvironmentVariables), $"'{name}'{Origin($"{nameof(options.EnvironmentVariables)}:{name}")}", "name a variable without '=' and without a zero character");
            Require(!value.Contains('\0', StringComparison.Ordinal), $"{nameof(options.EnvironmentVariables)}:{name}", "a text with a zero character", "remove that character");
        }

        foreach (var name in options.InheritedVariables ?? [])
        {
            Require(name.TrimEnd('*').Length > 0 && name.IndexOf('*', StringComparison.Ordinal) is var star && (star < 0 || star == name.Length - 1), nameof(options.InheritedVariables), $"'{name}'", "write a name, or the beginning of names and one * at its end");
        }

        foreach (var name in options.InheritedConfiguration ?? [])
        {
            Require(
                name.Length > 0 && name[0] != ':' && name[^1] != ':' && !name.Contains('*', StringComparison.Ordinal), nameof(options.InheritedConfiguration), $"'{name}'",
                "write the name of a section, as in Reports or Reports:Printer; everything below it is inherited with it");
        }

        Require(options.WorkingDirectory is null || Directory.Exists(options.WorkingDirectory), nameof(options.WorkingDirectory), options.WorkingDirectory, "create the directory, or set it to null for the host's own");
    }

    private void CheckDumps()
    {
        if (options.Dumps is not { } dumps)
        {
            return;
        }

        const string Folder = $"{nameof(options.Dumps)}.{nameof(dumps.Folder)}";
        Require(dumps.MaxCount is >= 1 and <= MostDumps, $"{nameof(options.Dumps)}.{nameof(dumps.MaxCount)}", dumps.MaxCount, $"set it to 1 to {MostDumps}");
        Require(dumps.MaxBytes >= LeastDumpBytes, $"{nameof(options.Dumps)}.{nameof(dumps.MaxBytes)}", dumps.MaxBytes, $"set it to {LeastDumpBytes} (1 MB) or more");
        Require(!string.IsNullOrWhiteSpace(dumps.Folder), Folder, "empty", "name a folder, or set Dumps to null for no dumps");
        Require(Directory.Exists(dumps.Folder), Folder, dumps.Folder, "create the folder, or set Dumps to null for no dumps");
        Require(IsWritable(dumps.Folder), Folder, $"{dumps.Folder}, to which the host cannot write", "give its user the right to, or set Dumps to null for no dumps");

        // The defaults of all pools may have them also where one pool's workers are of another language.
        Require(options.Command is null || options.IsFromDefaults(nameof(options.Dumps)), nameof(options.Dumps), "set, and Command too", "set it to null: only .NET workers can be dumped");
        Require(
            OperatingSystem.IsLinux() && DumpTool.Path is not null, nameof(options.Dumps), "set, and this application has no createdump beside its runtime",
            "run it on Linux with the installed runtime or self-contained, or set it to null for no dumps");
    }

    // Tried: rights, read-only file systems and namespaces decide together.
    private static bool IsWritable(string folder)
    {
        try
        {
            using var file = new FileStream(Path.Combine(folder, $"weir-{Guid.NewGuid():N}.tmp"), FileMode.CreateNew, FileAccess.Write, FileShare.None, 1, FileOptions.DeleteOnClose);
            return true;
        }
        catch (Exception refused) when (refused is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    private void CheckSharedData()
    {
        const string Option = nameof(options.SharedData);
        Require(options.SharedDataSources.Count <= MostSharedData, Option, $"{options.SharedDataSources.Count} names", $"add {MostSharedData} at most");
        foreach (var (name, source) in options.SharedDataSources)
        {
            Require(name.Length is > 0 and <= MostSharedDataName, Option, name.Length == 0 ? "an empty name" : $"a name of {name.Length} characters ('{name}')", $"give it a name of 1 to {MostSharedDataName} characters");
            var refusal = source.Refusal();
            Require(refusal is null, $"{Option}:{name}", $"{source}, which cannot be read ({refusal})", "name a file that exists and that the host may read");
        }
    }

    private void Require(bool holds, string option, object? value, string step)
    {
        if (!holds)
        {
            throw new InvalidOperationException($"{option} of pool '{pool}' is {value}{Origin(option)}; {step}. See {WeirCodes.InvalidOptions}.");
        }
    }

    // A pool may have no line of its own: the message must say where the value is.
    private string Origin(string option) => options.IsFromDefaults(option) ? $" (set in {Defaults})" : "";

    // Another option as the bound of this one.
    private string Bound(string option, object? value) => options.IsFromDefaults(option) ? $"{option} ({value}, set in {Defaults})" : $"{option} ({value})";
}
