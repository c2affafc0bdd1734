using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Worker.Calls;
using Weir.Worker.Channels;

namespace Weir.Worker.Session;

/// <summary>The control thread: it hears the host while calls run. None of the user's code runs here, and nothing here waits for the host to read.</summary>
internal sealed class ControlLoop(FrameSource input, ControlSendQueue output, CallTable calls, DataSendQueue data, Action draining, Action drained)
{
    private volatile bool _ready;

    /// <summary>From now on calls may be cancelled and the worker drained. Said before READY is.</summary>
    public void SetReady() => _ready = true;

    /// <summary>Waits for the first frame of all that is more than a PING. On the thread that makes what HELLO asks for; afterwards it is <see cref="Run"/>'s.</summary>
    /// <returns><c>null</c> when the channel has ended instead.</returns>
    /// <exception cref="FrameException">The host broke the protocol.</exception>
    public HelloPayload? ReadHello()
    {
        while (input.TryNext(out var frame))
        {
            switch (frame.Type)
            {
                case FrameType.Hello:
                    return HelloPayload.Read(frame.Payload);
                case FrameType.Ping:
                    output.Pong(PingPayload.Read(frame.Payload).Stamp);
                    break;
                default:
                    throw BeforeReady(frame);
            }
        }

        return null;
    }

    /// <summary>Until the channel ends.</summary>
    /// <exception cref="FrameException">The host broke the protocol.</exception>
    public void Run()
    {
        while (input.TryNext(out var frame))
        {
            switch (frame.Type)
            {
                case FrameType.Hello:
                    // What is wrong within a frame is said before that it should not have come.
                    HelloPayload.Read(frame.Payload);
                    throw new FrameException(FrameFault.UnexpectedFrame, "HELLO twice");
                case FrameType.Ping:
                    // The host waits for a call. What was finished before it and not sent must not wait with it, nor what was sent while the
                    // shared memory said that the host was awake.
                    if (_ready)
                    {
                        data.FlushAndWake();
                    }

                    output.Pong(PingPayload.Read(frame.Payload).Stamp);
                    break;
                case FrameType.Cancel when _ready:
                    CancelPayload.Read(frame.Payload);
                    calls.Cancel(frame.CallId);

                    // It may have been finished long ago.
                    data.Flush();
                    break;
                case FrameType.Room when _ready && data.Outlives:
                    data.OnRoom();
                    break;
                case FrameType.Credit when _ready:
                    calls.Grant(frame.CallId, CreditPayload.Read(frame.Payload).Bytes);
                    break;
                case FrameType.Drain when _ready:
                    Drain(frame.CallId);
                    break;
                default:
                    throw _ready ? new FrameException(FrameFault.UnexpectedFrame, $"{frame.Type} was not agreed on") : BeforeReady(frame);
            }
        }
    }

    private static FrameException BeforeReady(in Frame frame) => new(FrameFault.UnexpectedFrame, $"{frame.Type} before READY");

    private void Drain(ulong last)
    {
        draining();
        calls.Drain(last, first => output.Returned(first, last), drained);
    }
}
