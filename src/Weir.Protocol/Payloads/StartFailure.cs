using Weir.Protocol.Frames;

namespace Weir.Protocol.Payloads;

/// <summary>READY with the flag FAILED: the worker could not start, and in which phase it failed.</summary>
/// <remarks>
/// <code>
///  0  text  phase: "agree version", "load catalog", "compare catalogs", "build services", "create Namespace.Type"
///  ·  text  exception type
///  ·  text  message
///  ·  text  stack trace; empty for none
///  ·  …     later versions
/// </code>
/// </remarks>
/// <param name="Phase">What the worker was doing.</param>
/// <param name="ExceptionType">The full name of what was thrown.</param>
/// <param name="Message">Its message.</param>
/// <param name="Stack">Its stack trace; empty for none.</param>
internal readonly record struct StartFailure(string Phase, string ExceptionType, string Message, string Stack)
{
    /// <summary>Appends the frame.</summary>
    /// <param name="frame">A writer without an open frame.</param>
    public void Write(FrameWriter frame)
    {
        ArgumentNullException.ThrowIfNull(frame);
        frame.Begin(FrameType.Ready, 0, FrameFlags.Failed);
        var fields = new FieldWriter(frame);
        fields.Text(Phase, ErrorPayload.MostName);
        fields.Text(ExceptionType, ErrorPayload.MostName);
        fields.Text(Message, ErrorPayload.MostMessage);
        fields.Text(Stack, ErrorPayload.MostStack);
        frame.End();
    }

    /// <summary>Reads the payload.</summary>
    /// <param name="payload">The payload of a READY with the flag FAILED.</param>
    /// <exception cref="FrameException">A field does not fit.</exception>
    public static StartFailure Read(ReadOnlySpan<byte> payload)
    {
        var fields = new FieldReader(FrameType.Ready, payload);
        return new StartFailure(fields.Text(), fields.Text(), fields.Text(), fields.Text());
    }
}
