namespace Weir.Protocol;

/// <summary>
/// RECALL: hand back the calls from the header's id up to <see cref="Last"/> that have not started. The worker
/// answers with RETURNED. The last id is named because calls sent later may overtake this frame.
/// </summary>
/// <remarks>
/// <code>
///  0  u64  last id wanted back
/// </code>
/// </remarks>
/// <param name="Last">The last id wanted back.</param>
public readonly record struct RecallPayload(ulong Last)
{
    internal const int Size = 8;

    /// <summary>Appends the frame.</summary>
    /// <param name="frame">A writer without an open frame.</param>
    /// <param name="first">The first id wanted back.</param>
    public void Write(FrameWriter frame, ulong first)
    {
        ArgumentNullException.ThrowIfNull(frame);
        frame.Begin(FrameType.Recall, first);
        new FieldWriter(frame).U64(Last);
        frame.End();
    }

    /// <summary>Reads the payload.</summary>
    /// <param name="payload">The payload of a RECALL.</param>
    /// <exception cref="FrameException">A field does not fit.</exception>
    public static RecallPayload Read(ReadOnlySpan<byte> payload)
    {
        var fields = new FieldReader(FrameType.Recall, payload);
        var last = fields.U64();
        fields.Finish();
        return new RecallPayload(last);
    }
}
