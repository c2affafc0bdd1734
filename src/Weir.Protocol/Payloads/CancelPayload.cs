using Weir.Protocol.Frames;

namespace Weir.Protocol.Payloads;

/// <summary>CANCEL: no caller waits for the call any more.</summary>
/// <remarks>
/// <code>
///  0  u8  reason
/// </code>
/// </remarks>
/// <param name="Reason">The reason.</param>
internal readonly record struct CancelPayload(CancelReason Reason)
{
    internal const int Size = PayloadSizes.Cancel;

    /// <summary>Appends the frame.</summary>
    /// <param name="frame">A writer without an open frame.</param>
    /// <param name="callId">The call.</param>
    public void Write(FrameWriter frame, ulong callId)
    {
        ArgumentNullException.ThrowIfNull(frame);
        frame.Begin(FrameType.Cancel, callId);
        new FieldWriter(frame).U8((byte)Reason);
        frame.End();
    }

    /// <summary>Reads the payload. A reason that is not assigned is kept: a newer host may know more of them.</summary>
    /// <param name="payload">The payload of a CANCEL.</param>
    /// <exception cref="FrameException">A field does not fit.</exception>
    public static CancelPayload Read(ReadOnlySpan<byte> payload)
    {
        var fields = new FieldReader(FrameType.Cancel, payload);
        var reason = (CancelReason)fields.U8();
        fields.Finish();
        return new CancelPayload(reason);
    }
}

/// <summary>Why no caller waits for a call any more.</summary>
internal enum CancelReason : byte
{
    /// <summary>The caller disconnected or cancelled.</summary>
    Caller = 1,

    /// <summary>The deadline passed, by the host's clock.</summary>
    Deadline = 2,

    /// <summary>The host shuts down.</summary>
    Stopping = 3,

    /// <summary>The reader of the stream made no progress.</summary>
    Stalled = 4,
}
