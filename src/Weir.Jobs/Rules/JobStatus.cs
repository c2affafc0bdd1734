namespace Weir.Jobs.Rules;

/// <summary>What the rules know of one job. All of it is stored.</summary>
internal readonly record struct JobStatus
{
    public JobState State { get; init; }

    /// <summary>Only of a failed job.</summary>
    public JobReason Reason { get; init; }

    /// <summary>Only of a running job.</summary>
    public JobStop Stop { get; init; }

    /// <summary>Grows with each claim and each retry by hand; what an attempt reports carries the fence of its claim.</summary>
    public long Fence { get; init; }

    /// <summary>The attempt of this fence was claimed and has no outcome, also where its replica is presumed to be gone.</summary>
    public bool IsOpen { get; init; }

    /// <summary>When it may start. Of a waiting job.</summary>
    public DateTimeOffset Due { get; init; }

    /// <summary>How often it was claimed and began, or may have.</summary>
    public int Starts { get; init; }

    /// <summary>How often it threw or took too long: what counts towards <see cref="JobTraits.Attempts"/>.</summary>
    public int Failures { get; init; }

    public int Crashes { get; init; }

    public int Losses { get; init; }

    /// <summary>How often it asked to be run again.</summary>
    public int AskedRetries { get; init; }

    /// <summary>How often its pool refused it.</summary>
    public int Refusals { get; init; }

    /// <summary>When its arguments were first not understood; <c>null</c> when they were not.</summary>
    public DateTimeOffset? NotUnderstoodSince { get; init; }

    public bool IsWaiting => State is JobState.Scheduled or JobState.Ready;

    public bool HasEnded => State > JobState.Running;
}
