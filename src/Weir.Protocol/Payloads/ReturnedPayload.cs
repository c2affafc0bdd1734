using Weir.Protocol.Frames;

namespace Weir.Protocol.Payloads;

/// <summary>
/// RETURNED, the answer to DRAIN: the worker will not start the calls from the header's id up to <see cref="Last"/>, which is below
/// the header's id when there is nothing to hand back.
/// </summary>
/// <remarks>
/// <code>
///  0  u64  last id handed back
/// </code>
/// </remarks>
/// <param name="Last">The last id handed back.</param>
internal readonly record struct ReturnedPayload(ulong Last)
{
    internal const int Size = PayloadSizes.Returned;

    /// <summary>Appends the frame.</summary>
    /// <param name="frame">A writer without an open frame.</param>
    /// <param name="first">The first id handed back.</param>
    public void Write(FrameWriter frame, ulong first)
    {
        ArgumentNullException.ThrowIfNull(frame);
        frame.Begin(FrameType.Returned, first);
        new FieldWriter(frame).U64(Last);
        frame.End();
    }

    /// <summary>Reads the payload.</summary>
    /// <param name="payload">The payload of a RETURNED.</param>
    /// <exception cref="FrameException">A field does not fit.</exception>
    public static ReturnedPayload Read(ReadOnlySpan<byte> payload)
    {
        var fields = new FieldReader(FrameType.Returned, payload);
        var last = fields.U64();
        fields.Finish();
        return new ReturnedPayload(last);
    }
}
