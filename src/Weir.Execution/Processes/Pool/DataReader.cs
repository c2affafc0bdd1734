using Weir.Protocol;

namespace Weir.Execution.Processes;

/// <summary>
/// Reads one worker's data channel on a thread of its own, which waits in the kernel while nothing comes. No user code runs
/// here: results are copied, failures are made, the rest is the pool's decisions.
/// </summary>
internal sealed class DataReader(WorkerProcess worker, WorkerChannel channel, PoolEvents events, int mostPayload)
{
    // It parses and copies; nothing recurses.
    private const int StackSize = 256 * 1024;

    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // The call that has started and has no answer. Reader's thread only.
    private PoolCall? _running;

    /// <summary>Ends when everything was read and the pool knows of it.</summary>
    public Task Ended => _ended.Task;

    public void Start(string name) => new Thread(Run, StackSize) { Name = name, IsBackground = true }.UnsafeStart();

    private void Run()
    {
        try
        {
            Read();

            // A frame that was cut off is no fault of a worker that died.
            worker.CloseData();
            events.ChannelEnded(worker);
        }
        catch (FrameException fault)
        {
            worker.OnViolation(fault.Message);
        }
        catch (Exception failure)
        {
            // A fault of ours while reading one worker must not end the host: that worker ends.
            worker.OnViolation($"reading it failed: {failure}");
        }
        finally
        {
            worker.Running = null;
            _ended.SetResult();
        }
    }

    private void Read()
    {
        using var frames = new FrameReader(FrameRoute.DataUp, mostPayload);
        int received;
        while ((received = channel.Receive(frames.GetSpan())) > 0)
        {
            frames.Advance(received);
            while (frames.TryRead(out var frame))
            {
                OnFrame(frame);
            }
        }
    }

    private void OnFrame(in Frame frame)
    {
        switch (frame.Type)
        {
            case FrameType.Started:
                _running = _running is null && events.Started(worker, frame.CallId) is { } call
                    ? call
                    : throw Unexpected(frame);
                worker.Running = _running;
                break;

            case FrameType.Item when Answers(frame) && _running is PoolStream stream:
                stream.Accept(frame);
                break;

            case FrameType.Result when Answers(frame):
                _running!.Check(frame);
                if (EndRunning(out var ended, out var following))
                {
                    ended.Succeed(frame);
                }

                events.Carry(following);
                break;

            case FrameType.Error when Answers(frame):
                var failure = events.Endings.Of(ErrorPayload.Read(frame.Payload), _running!.Call.Operation, worker.ProcessId);
                if (EndRunning(out var failed, out following))
                {
                    failed.Fail(failure);
                }

                events.Carry(following);
                break;

            default:
                throw Unexpected(frame);
        }
    }

    private bool Answers(in Frame frame) => _running?.CallId == frame.CallId;

    private bool EndRunning(out PoolCall call, out PoolActions following)
    {
        call = _running!;
        _running = null;
        worker.Running = null;

        // Whoever answers before it has read the whole CALL does not keep the caller's memory.
        worker.ReleaseData();
        return events.Answered(worker, out following);
    }

    private FrameException Unexpected(in Frame frame) => new(
        FrameFault.UnexpectedFrame,
        $"{frame.Type} of call {frame.CallId} while {(_running is null ? "no call" : $"call {_running.CallId}")} runs");
}
