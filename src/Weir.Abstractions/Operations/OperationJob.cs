namespace Weir;

/// <summary>How calls of an operation run as jobs: what its <see cref="JobAttribute"/> says. Immutable.</summary>
public sealed record OperationJob
{
    /// <summary>The name of the kind; <c>null</c> means <see cref="Operation.FullName"/>.</summary>
    public string? Kind { get; init; }

    /// <summary>How often a job is tried when the operation throws; <c>null</c> means 1, and 5 for an idempotent operation.</summary>
    public int? Attempts { get; init; }

    /// <summary>How long one attempt may take; <c>null</c> means no limit. Default 1 hour.</summary>
    public TimeSpan? Timeout { get; init; } = TimeSpan.FromHours(1);

    /// <summary>The pause after the first failure. Default 5 s.</summary>
    public TimeSpan Backoff { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>The longest pause. Default 1 hour.</summary>
    public TimeSpan MaxBackoff { get; init; } = TimeSpan.FromHours(1);

    /// <summary>How many run at once in one process; <c>null</c> means 16 in the host, and all places of its pool for an isolated operation.</summary>
    public int? Concurrency { get; init; }

    /// <summary>How many with the same key run at once in all processes of the store; <c>null</c> means no limit.</summary>
    public int? MaxPerKey { get; init; }

    /// <summary>How many run at once in all processes of the store; <c>null</c> means no limit.</summary>
    public int? MaxTotal { get; init; }

    /// <summary>The position in <see cref="Operation.Parameters"/> of the parameter that is the key; <c>null</c> means none.</summary>
    public int? KeyParameter { get; init; }

    /// <summary>When a request over HTTP becomes a job.</summary>
    public JobRespond Respond { get; init; }

    /// <summary>When jobs are made of the operation; <c>null</c> means only when they are submitted.</summary>
    public OperationSchedule? Schedule { get; init; }
}
