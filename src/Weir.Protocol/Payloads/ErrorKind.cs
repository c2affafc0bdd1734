namespace Weir.Protocol.Payloads;

/// <summary>Why a call did not succeed.</summary>
internal enum ErrorKind : byte
{
    /// <summary>The operation threw. Type name, message and stack are sent.</summary>
    HandlerFailed = 1,

    /// <summary>The operation chose a status (<see cref="OperationStatusException"/>).</summary>
    OperationStatus = 2,

    /// <summary>The arguments cannot be bound. The binding errors are sent.</summary>
    BadArguments = 3,

    /// <summary>The operation stopped because its call was cancelled.</summary>
    Cancelled = 4,

    /// <summary>The deadline passed before the operation was complete.</summary>
    DeadlineExceeded = 5,

    /// <summary>The worker ran out of memory; it sends BYE and exits.</summary>
    OutOfMemory = 6,

    /// <summary>The result is longer than one frame may be. Both lengths are sent.</summary>
    PayloadTooLarge = 7,
}
