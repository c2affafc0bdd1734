using Weir.Jobs.Rules;

namespace Weir.Tests.Jobs.Simulation;

/// <summary>One job: its row, and what really happened, independent of the row.</summary>
internal sealed class SimulatedJob(int number, JobTraits kind)
{
    public int Number => number;

    /// <summary>What its author declared.</summary>
    public JobTraits Kind => kind;

    /// <summary>Why no attempt of it ever begins; <c>null</c> for most jobs.</summary>
    public JobEvent? Refusal { get; init; }

    /// <summary>The row.</summary>
    public JobStatus Row { get; set; }

    /// <summary>Attempts that have reported, by fence.</summary>
    public HashSet<long> Reported { get; } = [];

    /// <summary>Some attempt began, and how it ended is not known; since the last retry by hand.</summary>
    public bool IsUnknown { get; set; }

    /// <summary>It was cancelled while it waited; since the last retry by hand.</summary>
    public bool IsCancelled { get; set; }

    /// <summary>How often it threw or took too long, ended its worker, and lost its replica; since the last retry by hand.</summary>
    public (int Failures, int Crashes, int Losses) Counted { get; set; }

    /// <summary>Not started before this.</summary>
    public DateTimeOffset Earliest { get; set; }

    public override string ToString() => $"job {number}";
}
