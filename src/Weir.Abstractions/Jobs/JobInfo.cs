namespace Weir;

/// <summary>What is known of a job at one moment. Immutable.</summary>
public sealed record JobInfo
{
    /// <summary>By which it is asked for.</summary>
    public required Guid Id { get; init; }

    /// <summary>What its operation is called in the store: <c>Service/Operation</c>, unless <see cref="JobAttribute.Kind"/> says otherwise.</summary>
    public required string Kind { get; init; }

    /// <summary>Where it is.</summary>
    public required JobState State { get; init; }

    /// <summary>Why it failed.</summary>
    public JobReason Reason { get; init; }

    /// <summary>Whether it was cancelled or is too late, and its code has not ended yet.</summary>
    public JobStop Stopping { get; init; }

    /// <summary>How often it was started.</summary>
    public int Attempt { get; init; }

    /// <summary>How often it is tried at most when its operation throws; 0 where this process has no operation of its kind.</summary>
    public int Attempts { get; init; }

    /// <summary>When it was accepted.</summary>
    public DateTimeOffset Submitted { get; init; }

    /// <summary>When it may start, or might have.</summary>
    public DateTimeOffset Due { get; init; }

    /// <summary>When it was last started; <c>null</c> before.</summary>
    public DateTimeOffset? Started { get; init; }

    /// <summary>When it ended; <c>null</c> before.</summary>
    public DateTimeOffset? Ended { get; init; }

    /// <summary>How far it is; <c>null</c> where the operation reported nothing.</summary>
    public JobProgress? Progress { get; init; }

    /// <summary>How many items of its stream are stored; 0 for other jobs.</summary>
    public long Items { get; init; }

    /// <summary>The key by which it takes turns; <c>null</c> for none.</summary>
    public string? Key { get; init; }

    /// <summary>How it is preferred to others of its kind.</summary>
    public JobPriority Priority { get; init; }

    /// <summary>When it ends as <see cref="JobState.Expired"/> if it has not begun; <c>null</c> for never.</summary>
    public DateTimeOffset? Expires { get; init; }

    /// <summary>The job whose operation submitted it; <c>null</c> for none.</summary>
    public Guid? Parent { get; init; }

    /// <summary>What went wrong the last time, in one line; <c>null</c> where nothing did.</summary>
    public string? Error { get; init; }

    /// <summary>Whether it has ended: it changes only by a retry.</summary>
    public bool HasEnded => State > JobState.Running;
}
