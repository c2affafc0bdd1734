using Weir.Protocol.SharedMemory;

namespace Weir.Protocol.Payloads;

/// <summary>What a side can do beyond the minimum; offered in HELLO, chosen in READY. Bits are never reused; 1 was used before.</summary>
[Flags]
internal enum Capabilities : uint
{
    /// <summary>Calls one after the other, results, failures, streamed results, cancellation.</summary>
    None = 0,

    /// <summary>The shared memory on descriptor 5: see <see cref="SharedMemoryLayout"/>.</summary>
    SharedMemory = 2,

    /// <summary>Reserved: argument parts outside the channel.</summary>
    OutOfBand = 4,

    /// <summary>Streamed requests: ITEM, END and ABORT down.</summary>
    RequestStreams = 8,

    /// <summary>More than one call may be started at a time.</summary>
    Concurrent = 16,

    /// <summary>The worker may send a <see cref="ResponseHead"/> with the first item or the result of a call.</summary>
    ResponseHeads = 32,

    /// <summary>The host may send a <see cref="Payloads.CallContext"/> with a call.</summary>
    CallContext = 64,

    /// <summary>The worker may report how far the job of a call is: PROGRESS.</summary>
    Progress = 128,

    /// <summary>Content, bytes of any length, in both directions: raw items where they were asked for, and files.</summary>
    Content = 256,

    /// <summary>The host may send a <see cref="CallerPayload"/> with a call.</summary>
    Caller = 512,

    /// <summary>The host may ask for the stack of a call: STACK.</summary>
    Stack = 1024,

    /// <summary>HELLO ends with a list of the data that the workers of the pool share.</summary>
    SharedData = 2048,
}
