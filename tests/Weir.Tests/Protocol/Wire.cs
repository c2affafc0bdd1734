using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;

namespace Weir.Tests.Protocol;

/// <summary>Bytes of frames for tests: written by the real writer, read back whole.</summary>
internal static class Wire
{
    public const FrameRoute Everything = FrameRoute.DataDown | FrameRoute.DataUp | FrameRoute.ControlDown | FrameRoute.ControlUp;

    public static byte[] Bytes(Action<FrameWriter> write)
    {
        using var writer = new FrameWriter();
        write(writer);
        return Drain(writer);
    }

    public static byte[] Drain(FrameWriter writer)
    {
        var bytes = new List<byte>();
        while (writer.TryPeek(out var run))
        {
            bytes.AddRange(run.Span);
            writer.Consume(run.Length);
        }

        return [.. bytes];
    }

    public static List<(FrameHeader Header, byte[] Payload)> Frames(ReadOnlySpan<byte> bytes, FrameRoute routes = Everything)
    {
        using var reader = new FrameReader(routes);
        reader.Append(bytes);
        var frames = new List<(FrameHeader, byte[])>();
        while (reader.TryRead(out var frame))
            frames.Add((frame.Header, frame.Payload.ToArray()));
        reader.Complete();
        return frames;
    }

    public static byte[] Payload(Action<FrameWriter> write) => Assert.Single(Frames(Bytes(write))).Payload;

    /// <summary>Reads a payload the way its receiver would; for any bytes, only the protocol's own error may be thrown.</summary>
    public static void Interpret(in Frame frame)
    {
        switch (frame.Type)
        {
            case FrameType.Call:
                foreach (var part in CallPayload.Read(frame.Memory).Parts)
                    _ = part.Bytes.Length;
                break;
            case FrameType.Item or FrameType.Result when (frame.Flags & FrameFlags.Head) != 0: ResponseHead.Read(frame.Type, frame.Payload, out _); break;
            case FrameType.Abort: AbortPayload.Read(frame.Payload); break;
            case FrameType.Credit: CreditPayload.Read(frame.Payload); break;
            case FrameType.Error: ErrorPayload.Read(frame.Payload); break;
            case FrameType.Hello: HelloPayload.Read(frame.Payload); break;
            case FrameType.Ready when frame.Flags.HasFlag(FrameFlags.Failed): StartFailure.Read(frame.Payload); break;
            case FrameType.Ready: ReadyPayload.Read(frame.Payload); break;
            case FrameType.Cancel: CancelPayload.Read(frame.Payload); break;
            case FrameType.Returned: ReturnedPayload.Read(frame.Payload); break;
            case FrameType.Ping or FrameType.Pong: PingPayload.Read(frame.Payload); break;
            case FrameType.Log: LogPayload.Read(frame.Payload); break;
            case FrameType.Progress: ProgressPayload.Read(frame.Payload); break;
            case FrameType.Bye: ByePayload.Read(frame.Payload); break;
            default: break;
        }
    }
}
