using System.Diagnostics;

namespace Weir.Execution.Processes;

/// <summary>What is applied to a worker from outside, right after it was spawned and before HELLO is sent to it. <c>null</c> keeps the host's value.</summary>
internal sealed record WorkerLimits
{
    private const int LowestPriority = 19;
    private const int HighestPriority = -20;
    private const int MostOomScore = 1000;

    public static WorkerLimits None { get; } = new();

    /// <summary>RLIMIT_DATA: heap, stacks of threads and private mappings together.</summary>
    public long? MemoryBytes { get; init; }

    /// <summary>The nice level of every thread.</summary>
    public int? Nice { get; init; }

    /// <summary>The priority class, where the operating system has those instead of nice levels.</summary>
    public ProcessPriorityClass? PriorityClass { get; init; }

    /// <summary>The processors on which its threads may run, in ascending order.</summary>
    public IReadOnlyList<int>? Processors { get; init; }

    /// <summary>oom_score_adj.</summary>
    public int? OomScore { get; init; }

    /// <summary>Where its own control group is made, and what the group limits; <c>null</c> for none. Linux only.</summary>
    public IControlGroups? Group { get; init; }

    /// <summary>What was requested and is not available on this machine; empty except under best effort.</summary>
    public IReadOnlyList<string> Unavailable { get; init; } = [];

    /// <summary>Whether a worker without one of them is better than none.</summary>
    public bool BestEffort { get; init; }

    /// <summary>The limits that a pool's options request. Relative to the host, so that an application that was itself started with a lower priority stays valid.</summary>
    /// <param name="options">Validated.</param>
    /// <param name="hostNice">The host's own nice level.</param>
    /// <param name="hostOomScore">The host's own oom_score_adj.</param>
    public static WorkerLimits For(ILimitOptions options, int hostNice, int hostOomScore) => new()
    {
        MemoryBytes = options.MemoryLimitBytes,
        Nice = NiceOf(options.Priority, hostNice),
        Processors = options.Processors is { } processors ? [.. processors.Distinct().Order()] : null,
        OomScore = options.OomScoreAdjustment == 0 ? null : Math.Min(MostOomScore, hostOomScore + options.OomScoreAdjustment),
        BestEffort = options.BestEffort,
    };

    // The levels .NET itself gives to these classes, counted from the host's.
    private static int NiceOf(ProcessPriorityClass priority, int host) => priority switch
    {
        ProcessPriorityClass.Idle => LowestPriority,
        ProcessPriorityClass.BelowNormal => Math.Min(LowestPriority, host + 10),
        ProcessPriorityClass.AboveNormal => Math.Max(HighestPriority, host - 6),
        ProcessPriorityClass.High => Math.Max(HighestPriority, host - 11),
        _ => host,
    };
}
