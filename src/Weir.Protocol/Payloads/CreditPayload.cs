using Weir.Protocol.Frames;

namespace Weir.Protocol.Payloads;

/// <summary>CREDIT: the receiver of a stream allows more bytes.</summary>
/// <remarks>
/// <code>
///  0  u32  bytes, counted as whole frames
/// </code>
/// </remarks>
/// <param name="Bytes">What is granted in addition; not 0.</param>
internal readonly record struct CreditPayload(uint Bytes)
{
    internal const int Size = PayloadSizes.Credit;

    /// <summary>Appends the frame.</summary>
    /// <param name="frame">A writer without an open frame.</param>
    /// <param name="callId">The call.</param>
    public void Write(FrameWriter frame, ulong callId)
    {
        ArgumentNullException.ThrowIfNull(frame);
        frame.Begin(FrameType.Credit, callId);
        new FieldWriter(frame).U32(Bytes);
        frame.End();
    }

    /// <summary>Reads the payload.</summary>
    /// <param name="payload">The payload of a CREDIT.</param>
    /// <exception cref="FrameException">A field does not fit.</exception>
    public static CreditPayload Read(ReadOnlySpan<byte> payload)
    {
        var fields = new FieldReader(FrameType.Credit, payload);
        var bytes = fields.U32();
        if (bytes == 0)
        {
            throw fields.Malformed("0 bytes are granted");
        }

        fields.Finish();
        return new CreditPayload(bytes);
    }
}
