using Weir.Runtime;

namespace Weir.Execution.Pipeline;

/// <summary>What an executor needs besides the call; created by the pipeline.</summary>
internal readonly struct ExecutionRequest
{
    /// <summary>The services of the call; an inline instance is created from them.</summary>
    public required IServiceProvider Services { get; init; }

    /// <summary>Is cancelled when the caller cancels or disconnects, or the deadline passes.</summary>
    public CancellationToken CancellationToken { get; init; }

    /// <summary>The <see cref="TimeProvider"/> timestamp at which the deadline passes; <c>null</c> means no limit.</summary>
    public long? DeadlineTimestamp { get; init; }

    /// <summary>Whether the caller waits while a queue is full; otherwise it is rejected at once.</summary>
    public bool WaitsForCapacity { get; init; }

    /// <summary>How the result will be written.</summary>
    public ResultEncoding ResultEncoding { get; init; }

    /// <summary>Whether the result is used after the call, until <see cref="Call.ReleaseAsync"/>.</summary>
    public bool HoldsResult { get; init; }

    /// <summary>The group of calls that start together; <c>null</c> where the call starts alone.</summary>
    public CallGroup? Group { get; init; }
}
