using Weir.Protocol.Frames;

namespace Weir.Protocol.Payloads;

/// <summary>PING and PONG: a stamp that comes back unchanged.</summary>
/// <remarks>
/// <code>
///  0  u64  stamp
/// </code>
/// </remarks>
/// <param name="Stamp">Has a meaning only for the host.</param>
internal readonly record struct PingPayload(ulong Stamp)
{
    internal const int Size = PayloadSizes.Ping;

    /// <summary>Appends the frame.</summary>
    /// <param name="frame">A writer without an open frame.</param>
    /// <param name="type"><see cref="FrameType.Ping"/> or <see cref="FrameType.Pong"/>.</param>
    public void Write(FrameWriter frame, FrameType type)
    {
        ArgumentNullException.ThrowIfNull(frame);
        frame.Begin(type, 0);
        new FieldWriter(frame).U64(Stamp);
        frame.End();
    }

    /// <summary>Reads the payload.</summary>
    /// <param name="payload">The payload of a PING or PONG.</param>
    /// <exception cref="FrameException">A field does not fit.</exception>
    public static PingPayload Read(ReadOnlySpan<byte> payload)
    {
        var fields = new FieldReader(FrameType.Ping, payload);
        var stamp = fields.U64();
        fields.Finish();
        return new PingPayload(stamp);
    }
}
