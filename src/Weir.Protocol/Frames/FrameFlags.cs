using Weir.Protocol.Payloads;

namespace Weir.Protocol.Frames;

/// <summary>The flag bits of a frame; <see cref="FrameRules"/> defines which a type may carry. Bits are never reused.</summary>
[Flags]
internal enum FrameFlags : byte
{
    /// <summary>No flag.</summary>
    None = 0,

    /// <summary>RESULT: the operation has no value (or its stream is complete). The payload is empty.</summary>
    NoValue = 1,

    /// <summary>RESULT, ITEM: the payload is the value's own bytes; without the flag it is JSON.</summary>
    Raw = 2,

    /// <summary>READY: the worker could not start; the payload is a <see cref="StartFailure"/>.</summary>
    Failed = 4,

    /// <summary>RESULT, ITEM up: the payload begins with a <see cref="ResponseHead"/>; the value follows, if there is one.</summary>
    Head = 8,
}
