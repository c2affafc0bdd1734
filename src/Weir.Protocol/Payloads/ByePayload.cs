using Weir.Protocol.Frames;

namespace Weir.Protocol.Payloads;

/// <summary>BYE: why the worker exits. An exit without it is a crash, whatever the exit code.</summary>
/// <remarks>
/// <code>
///  0  u8    reason
///  1  text  message
///  ·  …     later versions
/// </code>
/// </remarks>
/// <param name="Reason">The reason.</param>
/// <param name="Message">For the host's log; may be empty.</param>
internal readonly record struct ByePayload(ByeReason Reason, string Message)
{
    internal const int LeastSize = PayloadSizes.Bye;

    /// <summary>Appends the frame.</summary>
    /// <param name="frame">A writer without an open frame.</param>
    public void Write(FrameWriter frame)
    {
        ArgumentNullException.ThrowIfNull(frame);
        frame.Begin(FrameType.Bye, 0);
        var fields = new FieldWriter(frame);
        fields.U8((byte)Reason);
        fields.Text(Message, ErrorPayload.MostMessage);
        frame.End();
    }

    /// <summary>Reads the payload. A reason that is not assigned is kept.</summary>
    /// <param name="payload">The payload of a BYE.</param>
    /// <exception cref="FrameException">A field does not fit.</exception>
    public static ByePayload Read(ReadOnlySpan<byte> payload)
    {
        var fields = new FieldReader(FrameType.Bye, payload);
        return new ByePayload((ByeReason)fields.U8(), fields.Text());
    }
}

/// <summary>Why a worker exits.</summary>
internal enum ByeReason : byte
{
    /// <summary>It was drained.</summary>
    Drained = 1,

    /// <summary>The host broke the protocol; the message names the violation.</summary>
    ProtocolViolation = 2,

    /// <summary>It ran out of memory and cannot continue.</summary>
    OutOfMemory = 3,

    /// <summary>It could not start; a READY with the flag FAILED was sent before.</summary>
    StartFailed = 4,
}
