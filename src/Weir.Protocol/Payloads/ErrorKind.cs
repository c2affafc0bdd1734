namespace Weir.Protocol.Payloads;

/// <summary>How a call ended other than well.</summary>
public enum ErrorKind : byte
{
    /// <summary>The operation threw. Type name, message and stack travel.</summary>
    HandlerFailed = 1,

    /// <summary>The operation chose a status (<see cref="OperationStatusException"/>).</summary>
    OperationStatus = 2,

    /// <summary>The arguments do not bind. The faults travel.</summary>
    BadArguments = 3,

    /// <summary>The operation gave up because its call was cancelled.</summary>
    Cancelled = 4,

    /// <summary>The deadline passed before the operation was done.</summary>
    DeadlineExceeded = 5,

    /// <summary>The worker ran out of memory; it says BYE and exits.</summary>
    OutOfMemory = 6,

    /// <summary>The result is longer than one frame may be. Both lengths travel.</summary>
    PayloadTooLarge = 7,
}
