using Weir.Execution.Pipeline;

namespace Weir.Runtime;

/// <summary>How a door wants a call to be run.</summary>
public readonly struct CallRequest
{
    /// <summary>The services of the call; <c>null</c> makes a scope of the application's services for it.</summary>
    public IServiceProvider? Services { get; init; }

    /// <summary>Fires when the caller leaves.</summary>
    public CancellationToken CancellationToken { get; init; }

    /// <summary>How long the call may take from now on; <c>null</c>, and more than 49 days, means no limit; zero or less ends it before anything of it runs.</summary>
    public TimeSpan? TimeLimit { get; init; }

    /// <summary>
    /// What happens while a queue is full: <c>true</c> waits, bounded only by the token and the time limit (code);
    /// <c>false</c> is rejected at once (HTTP).
    /// </summary>
    public bool WaitsForRoom { get; init; }

    /// <summary>How the door will write the result; a worker encodes it so in the first place.</summary>
    public ResultEncoding ResultEncoding { get; init; }

    /// <summary>What carried the call here: an <c>HttpContext</c> over HTTP; <c>null</c> from code.</summary>
    public object? Transport { get; init; }

    /// <summary>The calls that it starts together with; <c>null</c> where it starts by itself.</summary>
    internal CallGroup? Group { get; init; }
}
