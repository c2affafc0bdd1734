using System.ComponentModel;
using Weir.Execution.Pipeline;

namespace Weir.Runtime;

/// <summary>How an entry point wants a call to be run.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly struct CallRequest
{
    /// <summary>The services of the call; <c>null</c> makes a scope of the application's services for it.</summary>
    public IServiceProvider? Services { get; init; }

    /// <summary>Is cancelled when the caller cancels or disconnects.</summary>
    public CancellationToken CancellationToken { get; init; }

    /// <summary>How long the call may take from now on; <c>null</c>, and more than 49 days, means no limit; with zero or less the call fails before it runs.</summary>
    public TimeSpan? TimeLimit { get; init; }

    /// <summary>
    /// What happens while a queue is full: with <c>true</c> the call waits, limited only by the token and the time limit (code);
    /// with <c>false</c> it is rejected at once (HTTP).
    /// </summary>
    public bool WaitsForCapacity { get; init; }

    /// <summary>How the entry point will write the result; a worker encodes the result in this form directly.</summary>
    public ResultEncoding ResultEncoding { get; init; }

    /// <summary>The transport of the call: an <c>HttpContext</c> over HTTP; <c>null</c> from code.</summary>
    public object? Transport { get; init; }

    /// <summary>
    /// Whether the entry point uses the result after the call: then the service's instance, and the <c>Stream</c> or <c>PipeReader</c> that it
    /// returned, live until <see cref="Call.ReleaseAsync"/>, which the entry point calls whatever the outcome. For calls that run in this process.
    /// </summary>
    public bool HoldsResult { get; init; }

    /// <summary>The group of calls that start together; <c>null</c> where the call starts alone.</summary>
    internal CallGroup? Group { get; init; }
}
