using System.Diagnostics;
using System.Text;
using Weir.Execution.Configuration;
using Weir.Protocol.Frames;

namespace Weir.Execution.Pools.Options;

/// <summary>Finds what is wrong with a pool's options, as far as that can be checked before a worker is started.</summary>
internal static class PoolOptionsCheck
{
    // RLIMIT_DATA below this keeps the runtime itself from starting.
    private const long LeastMemory = 128L << 20;
    private const long LeastSoftMemory = 16L << 20;
    private const int MostConcurrency = 256;
    private const int MostAttempts = 100;
    private const int LeastProcesses = 16;
    private const int MostConfiguration = 1_000_000;
    private const int MostWorkers = 1024;
    private const int MostRestarts = 1000;

    // The longest time of a timer.
    private static readonly TimeSpan LongestTime = TimeSpan.FromDays(49);

    /// <exception cref="InvalidOperationException">An option contradicts another one or the machine (WEIR3002).</exception>
    public static void Run(PoolOptions options, string pool)
    {
        CheckScale(options, pool);
        CheckTimes(options, pool);
        CheckLimits(options, pool);
        CheckEnvironment(options, pool);
    }

    private static void CheckScale(PoolOptions options, string pool)
    {
        var (min, max, queue, budget) = (options.MinWorkers, options.MaxWorkers, options.QueueLimit, options.RestartBudget);
        Require(max is >= 1 and <= MostWorkers, pool, nameof(options.MaxWorkers), max, $"set it to 1 to {MostWorkers}");
        Require(min >= 0 && min <= max, pool, nameof(options.MinWorkers), min, $"set it to 0 to MaxWorkers ({max})");
        Require(queue is >= 0 and <= 1_000_000, pool, nameof(options.QueueLimit), queue, "set it to 0 to 1,000,000");
        Require(options.StandbyWorkers >= 0 && options.StandbyWorkers <= max, pool, nameof(options.StandbyWorkers), options.StandbyWorkers, $"set it to 0 to MaxWorkers ({max})");
        Require(options.Concurrency is >= 1 and <= MostConcurrency, pool, nameof(options.Concurrency), options.Concurrency, $"set it to 1 to {MostConcurrency}");
        Require(options.MaxCallsPerWorker is null or >= 1, pool, nameof(options.MaxCallsPerWorker), options.MaxCallsPerWorker, "set it to 1 or more, or to null for any number");
        Require(options.MaxRetries is >= 0 and <= MostAttempts, pool, nameof(options.MaxRetries), options.MaxRetries, $"set it to 0 to {MostAttempts}");
        Require(options.QuarantineKills is >= 0 and <= MostAttempts, pool, nameof(options.QuarantineKills), options.QuarantineKills, $"set it to 0 to {MostAttempts}");
        Require(budget is >= 1 and <= MostRestarts, pool, nameof(options.RestartBudget), budget, $"set it to 1 to {MostRestarts}");
    }

    private static void CheckTimes(PoolOptions options, string pool)
    {
        const string Positive = "set it to more than zero and at most 49 days";
        Require(options.IdleTimeout is null || IsPositive(options.IdleTimeout.Value), pool, nameof(options.IdleTimeout), options.IdleTimeout, $"{Positive}, or to null to keep idle workers");
        Require(options.CancelGrace == TimeSpan.Zero || IsPositive(options.CancelGrace), pool, nameof(options.CancelGrace), options.CancelGrace, "set it to zero to 49 days");
        Require(options.QuarantineTime == TimeSpan.Zero || IsPositive(options.QuarantineTime), pool, nameof(options.QuarantineTime), options.QuarantineTime, "set it to zero to 49 days");
        Require(IsPositive(options.StartTimeout), pool, nameof(options.StartTimeout), options.StartTimeout, Positive);
        Require(options.MaxWorkerAge is null || IsPositive(options.MaxWorkerAge.Value), pool, nameof(options.MaxWorkerAge), options.MaxWorkerAge, $"{Positive}, or to null for any age");
        Require(options.SilenceTimeout is null || IsPositive(options.SilenceTimeout.Value), pool, nameof(options.SilenceTimeout), options.SilenceTimeout, $"{Positive}, or to null to wait without a limit");
        Require(options.StallTimeout is null || IsPositive(options.StallTimeout.Value), pool, nameof(options.StallTimeout), options.StallTimeout, $"{Positive}, or to null to wait without a limit");

        static bool IsPositive(TimeSpan time) => time > TimeSpan.Zero && time <= LongestTime;
    }

    private static void CheckLimits(PoolOptions options, string pool)
    {
        var (memory, payload, processors) = (options.MemoryLimitBytes, options.PayloadLimitBytes, options.Processors);
        Require(memory is null or >= LeastMemory, pool, nameof(options.MemoryLimitBytes), memory, $"set it to {LeastMemory} (128 MB) or more, below which the runtime does not start, or to null for no limit");
        var soft = options.MemorySoftLimitBytes;
        Require(soft is null or >= LeastSoftMemory, pool, nameof(options.MemorySoftLimitBytes), soft, $"set it to {LeastSoftMemory} (16 MB) or more, or to null for no limit");
        Require(soft is null || memory is null || soft < memory, pool, nameof(options.MemorySoftLimitBytes), soft, $"set it to less than MemoryLimitBytes ({memory}), at which a worker fails immediately");
        Require(
            payload is >= 1024 and <= FrameReader.DefaultMostPayload, pool, nameof(options.PayloadLimitBytes), payload,
            $"set it to 1,024 to {FrameReader.DefaultMostPayload}, and stream what is larger");
        Require(
            options.Priority is ProcessPriorityClass.Idle or ProcessPriorityClass.BelowNormal or ProcessPriorityClass.Normal or ProcessPriorityClass.AboveNormal or ProcessPriorityClass.High,
            pool, nameof(options.Priority), options.Priority, "set it to Idle, BelowNormal, Normal, AboveNormal or High");
        Require(
            processors is null || (processors.Count > 0 && processors.All(static number => number is >= 0 and < ProcessorList.Most)), pool, nameof(options.Processors),
            processors is { Count: > 0 } ? ProcessorList.Format(processors) : "empty", $"list numbers from 0 to {ProcessorList.Most - 1}, or set it to null for the host's own processors");
        Require(Enum.IsDefined(options.ControlGroup), pool, nameof(options.ControlGroup), options.ControlGroup, "set it to WhereDelegated, Always or Never");
        Require(options.ProcessLimit is null or >= LeastProcesses, pool, nameof(options.ProcessLimit), options.ProcessLimit, $"set it to {LeastProcesses} or more, below which the runtime does not start, or to null for no limit");
        Require(options.CpuLimit is null or (>= 0.01 and <= ProcessorList.Most), pool, nameof(options.CpuLimit), options.CpuLimit, $"set it to 0.01 to {ProcessorList.Most}, or to null for no limit");
        Require(
            options.ControlGroup != ControlGroupUse.Never || (options.ProcessLimit is null && options.CpuLimit is null), pool, nameof(options.ControlGroup), options.ControlGroup,
            "set it to WhereDelegated or Always, or remove ProcessLimit and CpuLimit, which need a control group");
        Require(options.OomScoreAdjustment is >= 0 and <= 1000, pool, nameof(options.OomScoreAdjustment), options.OomScoreAdjustment, "set it to 0 to 1000");
    }

    private static void CheckEnvironment(PoolOptions options, string pool)
    {
        Require(
            options.Command is null || (options.Command.Count > 0 && !options.Command.Any(string.IsNullOrEmpty)), pool, nameof(options.Command), "empty, or has an empty argument",
            "name a program and its arguments, or set it to null to run this application's own services");
        var size = options.Configuration.Sum(static pair => Encoding.UTF8.GetByteCount(pair.Key) + Encoding.UTF8.GetByteCount(pair.Value) + 8);
        Require(size <= MostConfiguration, pool, nameof(options.Configuration), $"{size} bytes", $"make it {MostConfiguration} bytes or less");
        foreach (var (name, value) in options.EnvironmentVariables)
        {
            Require(name.Length > 0 && name.AsSpan().IndexOfAny('=', '\0') < 0, pool, nameof(options.EnvironmentVariables), $"'{name}'", "name a variable without '=' and without a zero character");
            Require(!value.Contains('\0', StringComparison.Ordinal), pool, $"{nameof(options.EnvironmentVariables)}:{name}", "a text with a zero character", "remove that character");
        }

        foreach (var name in options.InheritedVariables ?? [])
        {
            Require(name.TrimEnd('*').Length > 0 && name.IndexOf('*', StringComparison.Ordinal) is var star && (star < 0 || star == name.Length - 1), pool, nameof(options.InheritedVariables), $"'{name}'", "write a name, or the beginning of names and one * at its end");
        }

        Require(options.WorkingDirectory is null || Directory.Exists(options.WorkingDirectory), pool, nameof(options.WorkingDirectory), options.WorkingDirectory, "create the directory, or set it to null for the host's own");
    }

    private static void Require(bool holds, string pool, string option, object? value, string step)
    {
        if (!holds)
        {
            throw new InvalidOperationException($"{option} of pool '{pool}' is {value}; {step}. See {WeirCodes.InvalidOptions}.");
        }
    }
}
