using Weir.Protocol.Frames;

namespace Weir.Protocol.Payloads;

/// <summary>LOG: one log record; the header names the call it was written in, or 0.</summary>
/// <remarks>
/// <code>
///  0  u8    level, 0 Trace to 5 Critical
///  1  u8    reserved, 0
///  2  u16   reserved, 0
///  4  i32   event id
///  8  u32   records dropped before this one
/// 12  text  event name
///  ·  text  category
///  ·  text  message
///  ·  text  exception, whole; empty for none
///  ·  …     <see cref="LogDetails"/>, or nothing
///  ·  …     later versions
/// </code>
/// </remarks>
/// <param name="Level">As Microsoft.Extensions.Logging numbers them, 0 Trace to 5 Critical.</param>
/// <param name="EventId">The event's number.</param>
/// <param name="Dropped">Records dropped before this one, because the host did not read fast enough.</param>
/// <param name="EventName">The event's name; may be empty.</param>
/// <param name="Category">The logger's category.</param>
/// <param name="Message">The formatted message.</param>
/// <param name="Exception">The exception's text; empty for none.</param>
internal readonly record struct LogPayload(
    byte Level, int EventId, uint Dropped, string EventName, string Category, string Message, string Exception)
{
    /// <summary>Longer text is cut here: 16,384 UTF-16 units each of message and exception.</summary>
    public const int MostText = 16 << 10;

    internal const int LeastSize = PayloadSizes.Log;

    private const int MostName = 1 << 10;

    /// <summary>Template, values, scopes and trace; <c>null</c> where the record has none of them.</summary>
    public LogDetails? Details { get; init; }

    /// <summary>Appends the frame.</summary>
    /// <param name="frame">A writer without an open frame.</param>
    /// <param name="callId">The call it was written in; 0 for none.</param>
    public void Write(FrameWriter frame, ulong callId)
    {
        ArgumentNullException.ThrowIfNull(frame);
        frame.Begin(FrameType.Log, callId);
        var fields = new FieldWriter(frame);
        fields.U8(Level);
        fields.U8(0);
        fields.U16(0);
        fields.I32(EventId);
        fields.U32(Dropped);
        fields.Text(EventName, MostName);
        fields.Text(Category, MostName);
        fields.Text(Message, MostText);
        fields.Text(Exception, MostText);
        Details?.Write(fields);
        frame.End();
    }

    /// <summary>Reads the payload.</summary>
    /// <param name="payload">The payload of a LOG.</param>
    /// <exception cref="FrameException">A field does not fit.</exception>
    public static LogPayload Read(ReadOnlySpan<byte> payload)
    {
        var fields = new FieldReader(FrameType.Log, payload);
        var level = fields.U8();
        if (level > 5)
        {
            throw fields.Malformed($"level {level} is not assigned");
        }

        fields.Zero(fields.U8(), "byte 1");
        fields.Zero(fields.U16(), "word 2");
        var record = new LogPayload(level, fields.I32(), fields.U32(), fields.Text(), fields.Text(), fields.Text(), fields.Text());
        return fields.Left == 0 ? record : record with { Details = LogDetails.Read(ref fields) };
    }
}
