using Weir.Protocol.Frames;

namespace Weir.Protocol.Payloads;

/// <summary>ABORT: why a streamed request ends without its END.</summary>
/// <remarks>
/// <code>
///  0  u8    reason
///  1  text  message, for logs
/// </code>
/// </remarks>
/// <param name="Reason">The reason.</param>
/// <param name="Message">For logs; may be empty.</param>
internal readonly record struct AbortPayload(AbortReason Reason, string Message)
{
    internal const int LeastSize = PayloadSizes.Abort;

    /// <summary>Appends the frame.</summary>
    /// <param name="frame">A writer without an open frame.</param>
    /// <param name="callId">The call.</param>
    public void Write(FrameWriter frame, ulong callId)
    {
        ArgumentNullException.ThrowIfNull(frame);
        frame.Begin(FrameType.Abort, callId);
        var fields = new FieldWriter(frame);
        fields.U8((byte)Reason);
        fields.Text(Message, ErrorPayload.MostMessage);
        frame.End();
    }

    /// <summary>Reads the payload.</summary>
    /// <param name="payload">The payload of an ABORT.</param>
    /// <exception cref="FrameException">A field does not fit.</exception>
    public static AbortPayload Read(ReadOnlySpan<byte> payload)
    {
        var fields = new FieldReader(FrameType.Abort, payload);
        var reason = (AbortReason)fields.U8();
        if (reason is < AbortReason.CallerFailed or > AbortReason.Cancelled)
        {
            throw fields.Malformed($"reason {(byte)reason} is not assigned");
        }

        var message = fields.Text();
        fields.Finish();
        return new AbortPayload(reason, message);
    }
}

/// <summary>Why a streamed request ends early.</summary>
internal enum AbortReason : byte
{
    /// <summary>The caller's source of items threw.</summary>
    CallerFailed = 1,

    /// <summary>The caller disconnected or cancelled.</summary>
    Cancelled = 2,
}
