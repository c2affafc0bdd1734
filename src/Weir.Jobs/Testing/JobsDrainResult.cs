namespace Weir;

/// <summary>What <see cref="JobsTesting.DrainAsync"/> ran: attempts, counted by what became of their jobs. Immutable.</summary>
public sealed record JobsDrainResult
{
    /// <summary>Jobs that succeeded.</summary>
    public int Succeeded { get; init; }

    /// <summary>Jobs that failed for good.</summary>
    public int Failed { get; init; }

    /// <summary>Jobs that were cancelled while they ran.</summary>
    public int Cancelled { get; init; }

    /// <summary>Attempts whose job waits for another one, after an exception or a <see cref="JobRetryException"/>. One job may be counted several times.</summary>
    public int Returned { get; init; }

    /// <summary>Jobs that ended because they had not begun in time (<see cref="JobOptions.ExpiresAfter"/>). They were not run.</summary>
    public int Expired { get; init; }

    /// <summary>
    /// Each attempt that ended with an exception, in order, also where its job succeeded later or waits: <c>Assert.Empty(drained.Failures)</c>. Neither a <see cref="JobRetryException"/> that was followed nor a job that
    /// was cancelled is a failure.
    /// </summary>
    public IReadOnlyList<JobsDrainFailure> Failures { get; init; } = [];
}
