namespace Weir.Jobs.Rules;

/// <summary>What happens to a job: the rows of the table in <c>docs/job-states.md</c>. The numbers are stored with attempts.</summary>
internal enum JobEvent
{
    /// <summary>Its time has come.</summary>
    Due = 1,

    /// <summary>A replica takes it: that is its start.</summary>
    Claimed = 2,

    Succeeded = 3,

    /// <summary>The operation threw.</summary>
    Threw = 4,

    /// <summary>The operation threw what its author declared, or what another attempt would throw too.</summary>
    Answered = 5,

    /// <summary>The operation threw a <c>JobRetryException</c>: nothing was done.</summary>
    AskedForRetry = 6,

    /// <summary>The worker that ran it ended.</summary>
    Crashed = 7,

    /// <summary>Its replica is presumed to be gone.</summary>
    OwnerLost = 8,

    /// <summary>It did not begin: rejected, or its worker could not start, or the host stops.</summary>
    NotStarted = 9,

    /// <summary>Its pool refused it, because calls like it made too many workers fail.</summary>
    Quarantined = 10,

    /// <summary>Its arguments, written by another version, could not be bound.</summary>
    NotUnderstood = 11,

    /// <summary>The host stops, and its code was ended.</summary>
    Drained = 12,

    CancelAsked = 13,

    TimedOut = 14,

    ItemAppended = 15,

    /// <summary>It was not started in time.</summary>
    Expired = 16,

    RetriedByHand = 17,

    ArgumentsEdited = 18,

    Purged = 19,
}
