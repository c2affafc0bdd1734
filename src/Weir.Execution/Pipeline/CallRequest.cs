using System.ComponentModel;
using System.Security.Claims;
using Weir.Execution.Observation;
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

    /// <summary>The time limit that the caller asked for, for messages: the entry point may have used a part of it. <c>null</c>, the default, is <see cref="TimeLimit"/>.</summary>
    public TimeSpan? AskedTimeLimit { get; init; }

    /// <summary>What happens where there is no place for the call at once; <see cref="CallAdmission.Queue"/> is the default. Inline operations run at once in any case.</summary>
    public CallAdmission Admission { get; init; }

    /// <summary>
    /// How often an isolated call is run again at most after its worker was lost while it ran the call, 0 or more; <c>null</c>, the default, is
    /// the pool's <see cref="PoolOptions.MaxRetries"/>. Only operations with <c>[Idempotent]</c> are run again, whatever this says.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">It is below 0.</exception>
    public int? Retries
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value ?? 0, nameof(Retries));
            field = value;
        }
    }

    /// <summary>
    /// Whether a cancelled call that has begun completes only when its code has ended, with what that brings: a result, an exception, or the loss of a worker that was
    /// killed after its grace. By default its caller gets the cancellation at once. Calls that run in this process always end with their code.
    /// </summary>
    public bool EndsWithItsCode { get; init; }

    /// <summary>
    /// Called when the call has left every queue: it is sent to its worker, or a thread of the lane begins it. Called again if it is sent to another worker; not for calls that run on their callers' flow. Any thread, under locks: it
    /// must not block, wait or throw. <c>null</c>, the default, for nothing.
    /// </summary>
    public Action? OnAssigned { get; init; }

    /// <summary>The job that the call is an attempt of; <c>null</c> for a direct call.</summary>
    public JobContext? Job { get; init; }

    /// <summary>How the entry point will write the result; a worker encodes the result in this form directly.</summary>
    public ResultEncoding ResultEncoding { get; init; }

    /// <summary>The transport of the call: an <c>HttpContext</c> over HTTP; <c>null</c> from code.</summary>
    public object? Transport { get; init; }

    /// <summary>What operators may do with <see cref="Transport"/>; <c>null</c>, the default, for nothing.</summary>
    public CallTransport? TransportKind { get; init; }

    /// <summary>
    /// Reads the caller from <see cref="Transport"/>, when something asks for it: not for calls that do not. <c>null</c>, the default, where the transport has none; then the caller is
    /// <see cref="Call.Caller"/>.
    /// </summary>
    public Func<object, ClaimsPrincipal?>? UserOf { get; init; }

    /// <summary>
    /// Whether the entry point uses the result after the call: then the service's instance, and the <c>Stream</c> or <c>PipeReader</c> that it
    /// returned, live until <see cref="Call.ReleaseAsync"/>, which the entry point calls whatever the outcome. For calls that run in this process.
    /// </summary>
    public bool HoldsResult { get; init; }

    /// <summary>What the reader of the content that an isolated operation returns asks for: it reaches the worker, which may know how to seek. <c>null</c>, the default, for all of the content.</summary>
    public RequestConditions? Conditions { get; init; }

    /// <summary>The <see cref="TimeProvider"/> timestamp at which the time limit passes; <c>null</c> means no limit. The pipeline sets it, and a token that fires then.</summary>
    internal long? DeadlineTimestamp { get; init; }

    /// <summary>What is recorded of the request, from <see cref="CallPipeline.Arrive"/>; <c>null</c>, the default, where the call is recorded alone, or not at all.</summary>
    public CallRecording? Recording { get; init; }

    /// <summary>Where the call is recorded while it runs; <c>null</c> where it is not.</summary>
    internal RecordedCall? Recorded => Recording as RecordedCall;

    /// <summary>The group of calls that start together; <c>null</c> where the call starts alone.</summary>
    internal CallGroup? Group { get; init; }
}
