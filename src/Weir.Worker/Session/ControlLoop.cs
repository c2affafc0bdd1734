using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;
using Weir.Worker.Calls;
using Weir.Worker.Channels;

namespace Weir.Worker.Session;

/// <summary>The control thread: reads the control channel while calls run. It runs no user code and never waits for the host to read.</summary>
internal sealed class ControlLoop(FrameSource input, ControlOutput output, CallTable calls, DataOutput data, Action draining, Action drained)
{
    private volatile bool _ready;

    /// <summary>From now on calls may be cancelled and the worker drained. Called before READY is sent.</summary>
    public void SetReady() => _ready = true;

    /// <summary>Waits for the first frame that is not a PING. Called on the data thread; afterwards only <see cref="Run"/> reads the channel.</summary>
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

    /// <summary>Handles frames until the channel ends.</summary>
    /// <exception cref="FrameException">The host broke the protocol.</exception>
    public void Run()
    {
        while (input.TryNext(out var frame))
        {
            switch (frame.Type)
            {
                case FrameType.Hello:
                    // A malformed payload is reported first, then that the frame is unexpected.
                    HelloPayload.Read(frame.Payload);
                    throw new FrameException(FrameError.UnexpectedFrame, "HELLO twice");
                case FrameType.Ping:
                    // The host waits for a call. Send results that are complete and not sent, and wake the host: bytes may have been sent while
                    // the shared memory showed that it was awake.
                    if (_ready)
                    {
                        data.FlushAndWake();
                    }

                    output.Pong(PingPayload.Read(frame.Payload).Stamp);
                    break;
                case FrameType.Cancel when _ready:
                    CancelPayload.Read(frame.Payload);
                    calls.Cancel(frame.CallId);

                    // The call may be complete already, and its result not sent.
                    data.Flush();
                    break;
                case FrameType.Space when _ready && data.Outlives:
                    data.OnSpace();
                    break;
                case FrameType.Credit when _ready:
                    calls.Grant(frame.CallId, CreditPayload.Read(frame.Payload).Bytes);
                    break;
                case FrameType.Drain when _ready:
                    Drain(frame.CallId);
                    break;
                default:
                    throw _ready ? new FrameException(FrameError.UnexpectedFrame, $"{frame.Type} was not agreed on") : BeforeReady(frame);
            }
        }
    }

    private static FrameException BeforeReady(in Frame frame) => new(FrameError.UnexpectedFrame, $"{frame.Type} before READY");

    private void Drain(ulong last)
    {
        draining();
        calls.Drain(last, first => output.Returned(first, last), drained);
    }
}
