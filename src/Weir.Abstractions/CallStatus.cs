namespace Weir;

/// <summary>The one outcome of a call: where it failed, and on which side.</summary>
/// <remarks>HTTP statuses, frames, logs and clients map from this enum; the numbers are sent in frames and are never reused.</remarks>
public enum CallStatus
{
    /// <summary>The operation finished. HTTP 200, or 204 without a result.</summary>
    Ok = 0,

    /// <summary>The caller's arguments do not fit. HTTP 400.</summary>
    BadRequest = 1,

    /// <summary>A queue is full or the host is draining; nothing was started. HTTP 503 with Retry-After.</summary>
    Rejected = 2,

    /// <summary>The call's deadline passed, while it waited or while it ran. HTTP 504.</summary>
    DeadlineExceeded = 3,

    /// <summary>The caller cancelled or disconnected. Logged as 499.</summary>
    Cancelled = 4,

    /// <summary>The operation's own code threw. HTTP 500.</summary>
    HandlerFailed = 5,

    /// <summary>The worker process that ran the call failed, or could not be started. HTTP 502.</summary>
    WorkerLost = 6,

    /// <summary>The worker broke the protocol. HTTP 502.</summary>
    ProtocolViolation = 7,
}
