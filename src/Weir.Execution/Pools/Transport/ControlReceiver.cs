using Weir.Execution.Pools.Core;
using Weir.Execution.Processes;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;

namespace Weir.Execution.Pools.Transport;

/// <summary>Reads one worker's control channel on the thread of the epoll loop: never blocks, runs no user code.</summary>
internal sealed class ControlReceiver(WorkerConnection connection, WorkerChannel channel, PoolCore core, WorkerLog log) : IDisposable
{
    // A worker that floods its control channel must not keep the others waiting.
    private const int MostReadsAtOnce = 4;

    private readonly FrameReader _frames = new(FrameRoute.ControlUp, FrameRules.LargestDescription);
    private bool _isReady;

    /// <summary>The worker's BYE, its last frame; counts once the data channel has ended and the process is reaped.</summary>
    public ByePayload? Bye { get; private set; }

    public void Attend() => channel.Attend(Read, failure => connection.OnViolation($"reading it failed: {failure}", isUnreadable: false));

    /// <summary>After the epoll loop has finished with it.</summary>
    public void Dispose() => _frames.Dispose();

    private bool Read()
    {
        try
        {
            for (var i = 0; i < MostReadsAtOnce; i++)
            {
                var received = channel.TryReceive(_frames.GetSpan());
                if (received <= 0)
                {
                    // An idle channel holds no buffer.
                    _frames.Trim();
                    return received < 0;
                }

                _frames.Advance(received);
                while (_frames.TryRead(out var frame))
                {
                    OnFrame(frame);
                }
            }

            return true;
        }
        catch (FrameException violation)
        {
            connection.OnViolation(violation.Message, isUnreadable: false);
            return false;
        }
    }

    private void OnFrame(in Frame frame)
    {
        switch (frame.Type)
        {
            case FrameType.Ready when (frame.Flags & FrameFlags.Failed) != 0 && !_isReady:
                connection.OnStartFailed(StartFailure.Read(frame.Payload));
                break;

            case FrameType.Ready when !_isReady:
                _isReady = true;
                connection.OnReady(ReadyPayload.Read(frame.Payload));
                break;

            case FrameType.Log:
                log.Record(connection.Worker.ProcessId, connection.Find(frame.CallId), LogPayload.Read(frame.Payload));
                break;

            case FrameType.Progress when connection.ReportsProgress:
                connection.OnProgress(frame.CallId, ProgressPayload.Read(frame.Payload));
                break;

            case FrameType.Stack when connection.ShowsStacks:
                connection.OnStack(frame.Payload);
                break;

            case FrameType.Bye:
                Bye = ByePayload.Read(frame.Payload);
                break;

            case FrameType.Pong:
                core.Ponged(connection.Worker);
                break;

            case FrameType.Returned:
                // The answer to DRAIN. A worker is drained only while it has no call, so there is nothing to hand back.
                if (ReturnedPayload.Read(frame.Payload).Last >= frame.CallId)
                {
                    throw new FrameException(FrameError.UnexpectedFrame, $"calls {frame.CallId} to {ReturnedPayload.Read(frame.Payload).Last} are returned, but none was waiting");
                }

                break;

            default:
                throw new FrameException(FrameError.UnexpectedFrame, $"{frame.Type} was not requested");
        }
    }
}
