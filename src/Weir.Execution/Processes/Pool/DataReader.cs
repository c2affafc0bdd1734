using Weir.Protocol;

namespace Weir.Execution.Processes;

/// <summary>
/// Reads one worker's data channel on a thread of its own, which waits in the kernel while nothing comes. No user code runs
/// here: results are copied, failures are made, the rest is the pool's decisions. Answers that were read together are one event.
/// </summary>
internal sealed class DataReader(WorkerProcess worker, WorkerChannel channel, PoolEvents events, int mostPayload)
{
    // It parses and copies; nothing recurses.
    private const int StackSize = 256 * 1024;

    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // Reader's thread only, all of it: answers that were read and not told, and the stream whose items come.
    private readonly AnswerBatch _answers = new();
    private PoolStream? _stream;
    private ulong _streamId;

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
            worker.OnViolation(fault.Message, isDeaf: true);
        }
        catch (Exception failure)
        {
            // A fault of ours while reading one worker must not end the host: that worker ends.
            worker.OnViolation($"reading it failed: {failure}", isDeaf: true);
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
            try
            {
                while (frames.TryRead(out var frame))
                {
                    OnFrame(frame);
                }
            }
            finally
            {
                // Before their bytes are overwritten; also before what is wrong behind them.
                Tell();
            }
        }
    }

    private void OnFrame(in Frame frame)
    {
        switch (frame.Type)
        {
            case FrameType.Started:
                Tell();
                worker.Running = events.Started(worker, frame.CallId) ?? throw Unexpected(frame);
                break;

            case FrameType.Item:
                Tell();
                if (frame.CallId != _streamId || _stream is null)
                {
                    _stream = events.Item(worker, frame.CallId) as PoolStream ?? throw Unexpected(frame);
                    _streamId = frame.CallId;
                }

                _stream.Accept(frame);
                break;

            case FrameType.Error:
                // Whether it can be read is known before it counts.
                ErrorPayload.Read(frame.Payload);
                Keep(frame);
                break;

            case FrameType.Result:
                Keep(frame);
                break;

            default:
                throw Unexpected(frame);
        }
    }

    private void Keep(in Frame frame)
    {
        if (frame.CallId == _streamId)
        {
            _stream = null;
        }

        _answers.Add(frame);
    }

    // 1. One decision for all. 2. The endings. 3. What follows. 4. What was wrong with the first that was no answer.
    private void Tell()
    {
        if (_answers.Count == 0)
        {
            return;
        }

        worker.Running = null;

        // Whoever answers before it has read the whole CALL does not keep the caller's memory.
        worker.ReleaseData();
        var count = events.Answered(worker, _answers.Answers, out var following);
        for (var i = 0; i < count; i++)
        {
            if (_answers.Answers[i] is { IsEnding: true, Call: PoolCall call })
            {
                End(call, _answers.Frame(i));
            }
        }

        events.Carry(following);
        var wrong = count < _answers.Count ? Unexpected(_answers.Frame(count)) : null;
        _answers.Clear();
        if (wrong is not null)
        {
            throw wrong;
        }
    }

    private void End(PoolCall call, in Frame answer)
    {
        if (answer.Type == FrameType.Result)
        {
            call.Succeed(answer);
        }
        else
        {
            call.Fail(events.Endings.Of(ErrorPayload.Read(answer.Payload), call.Call.Operation, worker.ProcessId));
        }
    }

    private static FrameException Unexpected(in Frame frame) => new(
        FrameFault.UnexpectedFrame,
        $"{frame.Type} of call {frame.CallId} with flags {frame.Flags}, which does not run or is not answered so");
}
