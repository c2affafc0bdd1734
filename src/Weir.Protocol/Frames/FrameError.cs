using Weir.Protocol.Flow;

namespace Weir.Protocol.Frames;

/// <summary>The named reasons for which a channel is closed.</summary>
internal enum FrameError
{
    /// <summary>The type's number is not assigned.</summary>
    UnknownType = 1,

    /// <summary>The type does not travel in this direction on this channel.</summary>
    WrongRoute = 2,

    /// <summary>A flag that the type does not carry.</summary>
    UnknownFlag = 3,

    /// <summary>A reserved field that is not zero.</summary>
    ReservedBits = 4,

    /// <summary>A payload longer than the type or the agreed limit allows.</summary>
    PayloadTooLong = 5,

    /// <summary>A payload shorter than the type needs.</summary>
    PayloadTooShort = 6,

    /// <summary>A call id where none is allowed, or none where one is required.</summary>
    CallId = 7,

    /// <summary>The fields of a payload do not fit its length, or a field has a value that is not assigned.</summary>
    MalformedPayload = 8,

    /// <summary>A call id that is not the one after the last.</summary>
    SequenceGap = 9,

    /// <summary>More credit outstanding than <see cref="ItemCredit.MostOutstanding"/>.</summary>
    CreditOverflow = 10,

    /// <summary>A frame that is not allowed in the state of its call or of the worker.</summary>
    UnexpectedFrame = 11,

    /// <summary>The channel ended inside a frame.</summary>
    CutOff = 12,

    /// <summary>A word of the shared memory has an impossible value.</summary>
    ImpossibleSharedMemory = 13,
}
