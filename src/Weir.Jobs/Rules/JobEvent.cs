namespace Weir.Jobs.Rules;

/// <summary>What happens to a job: the rows of the table in <c>docs/job-states.md</c>.</summary>
internal enum JobEvent
{
    /// <summary>Its time has come.</summary>
    Due,

    /// <summary>A replica takes it: that is its start.</summary>
    Claimed,

    Succeeded,

    /// <summary>The operation threw.</summary>
    Threw,

    /// <summary>The operation threw what its author declared, or what another attempt would throw too.</summary>
    Answered,

    /// <summary>The operation threw a <c>JobRetryException</c>: nothing was done.</summary>
    AskedForRetry,

    /// <summary>The worker that ran it ended.</summary>
    Crashed,

    /// <summary>Its replica is presumed to be gone.</summary>
    OwnerLost,

    /// <summary>It did not begin: rejected, or its worker could not start, or the host stops.</summary>
    NotStarted,

    /// <summary>Its pool refused it, because calls like it made too many workers fail.</summary>
    Quarantined,

    /// <summary>Its arguments, written by another version, could not be bound.</summary>
    NotUnderstood,

    /// <summary>The host stops, and its code was ended.</summary>
    Drained,

    CancelAsked,

    TimedOut,

    ItemAppended,

    /// <summary>It was not started in time.</summary>
    Expired,

    RetriedByHand,

    ArgumentsEdited,

    Purged,
}
