using System.Diagnostics;
using System.Globalization;
using Weir.Execution.Configuration;

namespace Weir;

/// <summary>
/// The limits of one worker, as the operating system read them back before the worker received its first frame; not what was requested.
/// A value is <c>null</c> where nothing was applied.
/// </summary>
public sealed record AppliedLimits
{
    /// <summary>Nothing was applied.</summary>
    public static AppliedLimits None { get; } = new();

    /// <summary>The nice level of its threads: 19 is the lowest priority, -20 the highest.</summary>
    public int? Nice { get; init; }

    /// <summary>Its priority class, where the operating system has those instead of nice levels.</summary>
    public ProcessPriorityClass? Priority { get; init; }

    /// <summary>The processors it may run on, in ascending order.</summary>
    public IReadOnlyList<int>? Processors { get; init; }

    /// <summary>The most bytes of heap, native allocations and private mappings together (RLIMIT_DATA).</summary>
    public long? MemoryBytes { get; init; }

    /// <summary>Its <c>oom_score_adj</c>: a process with 1,000 is killed first when the machine runs out of memory.</summary>
    public int? OomScoreAdjustment { get; init; }

    /// <summary>The folder of its control group; <c>null</c> when it has none of its own.</summary>
    public string? ControlGroup { get; init; }

    /// <summary>Whether everything it started ends with it, also processes that left its process group; only a control group guarantees that.</summary>
    public bool EndsEverything { get; init; }

    /// <summary>The most bytes of memory of the worker and everything it started, by its control group.</summary>
    public long? GroupMemoryBytes { get; init; }

    /// <summary>The most processes and threads of the worker and everything it started, by its control group.</summary>
    public int? Processes { get; init; }

    /// <summary>How many processors' time the worker and everything it started may use, by its control group.</summary>
    public double? Cpus { get; init; }

    /// <summary>What was requested and could not be applied, and why; always empty unless <see cref="PoolOptions.BestEffort"/> is set.</summary>
    public IReadOnlyList<string> Missing { get; init; } = [];

    /// <summary><c>nice 10, processors 0-1, memory 256 MB, oom score +500</c>.</summary>
    public override string ToString()
    {
        var parts = new List<string>();
        Add(Nice is not null, $"nice {Nice}");
        Add(Priority is not null, $"priority {Priority}");
        Add(Processors is not null, $"processors {ProcessorList.Format(Processors ?? [])}");
        Add(MemoryBytes is not null, $"memory {MemoryBytes >> 20} MB (RLIMIT_DATA)");
        Add(OomScoreAdjustment is not null, $"oom score {OomScoreAdjustment}");
        Add(ControlGroup is not null, $"own control group{(EndsEverything ? " that is killed as a whole" : "")}");
        Add(GroupMemoryBytes is not null, $"{GroupMemoryBytes >> 20} MB together with all processes that it starts");
        Add(Processes is not null, $"{Processes} processes and threads");
        Add(Cpus is not null, $"{Cpus} processors' time");
        Add(Missing.Count > 0, $"WITHOUT {string.Join("; ", Missing)}");
        return parts.Count == 0 ? "no limits" : string.Join(", ", parts);

        void Add(bool applies, FormattableString part)
        {
            if (applies)
            {
                parts.Add(part.ToString(CultureInfo.InvariantCulture));
            }
        }
    }
}
