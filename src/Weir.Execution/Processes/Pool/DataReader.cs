using System.Diagnostics.CodeAnalysis;
using Weir.Protocol;

namespace Weir.Execution.Processes;

/// <summary>
/// Reads one worker's data channel, mostly on a thread of its own, which waits in the kernel while nothing comes; who polls for an answer
/// may take its place. No user code runs here: results are copied, failures are made, the rest is the pool's decisions. Answers that were
/// read together are one event.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "Finish is its end, and gives the buffer back.")]
internal sealed class DataReader(WorkerProcess worker, WorkerHandle handle, ControlReader control, PoolEvents events, PoolSpec spec, ReadRight right, PoolBursts bursts) : IBurstReader, IThreadPoolWorkItem
{
    // It parses and copies; nothing recurses.
    private const int StackSize = 256 * 1024;

    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly BurstTurns _bursts = new(right, bursts);

    // Whoever has the right to read, then the worker's life's, all of it: what was received, answers that were not told, the stream whose
    // items come, what the worker said of its calls' times, and who reads, where that thread goes on with an answer by itself.
    private FrameReader _frames = new(FrameRoute.DataUp, spec.Options.PayloadLimitBytes);
    private readonly AnswerBatch _answers = new();
    private readonly EndedTogether _together = new();
    private PoolStream? _stream;
    private ulong _streamId;
    private PageTotals _totals;
    private TimeSpan _perCall;
    private bool _isBroken;
    private SpinRule _spin = new(spec.Time.TimestampFrequency);
    private IResumer? _resumer;

    /// <summary>Ends when everything was read and the pool knows of it.</summary>
    public Task Ended => _ended.Task;

    /// <summary>Whether a thread may promise to read its answers.</summary>
    public bool TakesPromises => right.TakesPromises;

    /// <inheritdoc/>
    public bool HasCalls => right.HasCalls;

    /// <inheritdoc/>
    public bool IsHandedOver
    {
        get
        {
            // The call that is given either is seen by the burst's end, or sees it.
            Interlocked.MemoryBarrier();
            return right.IsHandedOver;
        }
    }

    public void Start(string name) => new Thread(Run, StackSize) { Name = name, IsBackground = true }.UnsafeStart();

    /// <summary>
    /// The process is gone: what it had finished and did not send is told like everything it sent, and then every call of it that
    /// has no answer is somebody's.
    /// </summary>
    /// <returns>What was found in its page.</returns>
    public SalvageOutcome Finish()
    {
        var outcome = SalvageOutcome.Nothing;
        if (worker.Page is { } page && !_isBroken)
        {
            Guarded(page, page =>
            {
                outcome = page.Salvage(_frames);
                ReadFrames();
            });
        }

        _frames.Dispose();
        events.ChannelEnded(worker, isReaped: true);
        return outcome;
    }

    /// <inheritdoc/>
    public bool TryReadAhead(IResumer? resumer) => right.TryRead((Reader: this, Resumer: resumer), static one => one.Reader.ReadWhatIsThere(one.Resumer), resumer is CallBurst);

    /// <inheritdoc/>
    public void Wake() => right.Wake();

    /// <inheritdoc/>
    public void Bar(TimeSpan penalty) => right.Bar(penalty);

    /// <inheritdoc/>
    public void BurstEnded(int rounds) => _bursts.Ended(rounds);

    /// <summary>A thread of the thread pool polls, as soon as one has nothing else to do.</summary>
    public void PollSoon()
    {
        if (!IdleThread.WillPoll(this))
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: true);
        }
    }

    void IThreadPoolWorkItem.Execute() => IdleThread.OfThisThread.Run(this);

    private void Run()
    {
        right.Hold(() => Guarded(this, static reader => reader.ReadToTheEnd()));
        _ended.SetResult();
    }

    // A fault of ours while reading one worker must not end the host either: that worker ends.
    private void Guarded<TState>(TState state, Action<TState> read)
    {
        try
        {
            read(state);
        }
        catch (FrameException fault)
        {
            Break(fault.Message);
        }
        catch (Exception failure)
        {
            Break($"reading it failed: {failure}");
        }
    }

    private void Break(string message)
    {
        _isBroken = true;
        worker.OnViolation(message, isDeaf: true);
    }

    private void ReadToTheEnd()
    {
        Read();
        if (!_isBroken)
        {
            // A frame that was cut off is no fault of a worker that died: the rest of it may lie in its page.
            worker.CloseData();
            events.ChannelEnded(worker, isReaped: false);
        }
    }

    private void Read()
    {
        Receive(handle.Data);
        if (worker.UsesOneChannel)
        {
            _frames.Dispose();
            _frames = control.HandOver(spec.Options.PayloadLimitBytes);
            ReadFrames();
            Receive(handle.Control);
        }
    }

    private void Receive(WorkerChannel channel)
    {
        int received;
        while (!_isBroken && (received = ReceiveOnce(channel)) > 0)
        {
            TakeForMany(received);
            right.Nap();
            _bursts.TakeBack(this);
        }
    }

    // What cannot be read ends the reading, and nobody is to read on.
    private void TakeForMany(int received)
    {
        var mayGoOn = false;
        _resumer = worker.Page is null ? null : _bursts.Begin(_perCall);
        try
        {
            Take(received);
            mayGoOn = !_isBroken;
        }
        finally
        {
            _resumer = null;
            _bursts.End(mayGoOn ? this : null);
        }
    }

    private void Take(int received)
    {
        _frames.Advance(received);
        ReadFrames();
    }

    // How many bytes; -1 for the end, which is the reader's to see, and so is what is wrong.
    private int ReadWhatIsThere(IResumer? resumer)
    {
        if (_isBroken)
        {
            return -1;
        }

        int received;
        try
        {
            received = handle.Data.TryReceive(_frames.GetSpan());
        }
        catch (FrameException fault)
        {
            Break(fault.Message);
            return -1;
        }

        if (received > 0)
        {
            _resumer = resumer;
            Guarded((Reader: this, Received: received), static one => one.Reader.Take(one.Received));
            _resumer = null;
        }

        return received == 0 || _isBroken ? -1 : Math.Max(received, 0);
    }

    private int ReceiveOnce(WorkerChannel channel)
    {
        var room = _frames.GetSpan();
        if (worker.Spin.IsAllowed && _spin.Begin(spec.Time.GetTimestamp()))
        {
            do
            {
                if (channel.TryReceive(room) is var received and >= 0)
                {
                    return received;
                }

                Thread.Yield();
            }
            while (_spin.GoOn(spec.Time.GetTimestamp()));
        }

        return channel.Receive(room);
    }

    private void ReadFrames()
    {
        try
        {
            while (_frames.TryRead(out var frame))
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

    private void OnFrame(in Frame frame)
    {
        switch (frame.Type)
        {
            case FrameType.Started when worker.Page is null:
                Tell();
                if (!events.Started(worker, frame.CallId))
                {
                    throw Unexpected(frame);
                }

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

            case FrameType.Credit:
                // Whoever is asked for items has been seen to run, like one whose items come.
                Tell();
                var sender = events.Item(worker, frame.CallId)?.Request ?? throw Unexpected(frame);
                sender.Grant(worker, frame.CallId, CreditPayload.Read(frame.Payload).Bytes);
                break;

            case FrameType.Error:
                // Whether it can be read is known before it counts.
                ErrorPayload.Read(frame.Payload);
                Keep(frame);
                break;

            case FrameType.Result:
                Keep(frame);
                break;

            case FrameType.Log or FrameType.Bye or FrameType.Pong or FrameType.Returned:
                // Only where the one channel brings them.
                control.OnFrame(frame);
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

    // 1. One decision for all. 2. What follows, first of all the next calls: the worker must not wait. 3. The endings. 4. What was
    // wrong with the first that was no answer.
    private void Tell()
    {
        if (_answers.Count == 0)
        {
            return;
        }

        // Whoever answers before it has read the whole CALL does not keep the caller's memory.
        worker.ReleaseData(_answers.LastId);
        _perCall = PerCall();
        var count = events.Answered(worker, _answers.Answers, _perCall, out var following);
        events.Carry(following);
        EndAll(count);
        var wrong = count < _answers.Count ? Unexpected(_answers.Frame(count)) : null;
        _answers.Clear();
        if (wrong is not null)
        {
            throw wrong;
        }
    }

    private void EndAll(int count)
    {
        _together.Begin(_resumer);
        try
        {
            for (var i = 0; i < count; i++)
            {
                if (_answers.Answers[i] is { IsEnding: true, Call: PoolCall call })
                {
                    End(call, _answers.Frame(i));
                }
            }
        }
        finally
        {
            _together.End();
        }
    }

    // The mean of what ended since the last look, by the worker's word: good for an estimate, whatever it says.
    private TimeSpan PerCall()
    {
        if (worker.Page is not { } page)
        {
            return TimeSpan.Zero;
        }

        var before = _totals;
        _totals = page.ReadTotals();
        var done = _totals.Done - before.Done;
        var busy = _totals.BusyNanoseconds - before.BusyNanoseconds;
        return done is > 0 and <= int.MaxValue && busy <= long.MaxValue ? new TimeSpan(Math.Max(1, (long)(busy / done) / TimeSpan.NanosecondsPerTick)) : TimeSpan.Zero;
    }

    private void End(PoolCall call, in Frame answer)
    {
        if (answer.Type == FrameType.Result)
        {
            call.Succeed(answer, _resumer);
        }
        else
        {
            call.Fail(Why(call, answer));
        }
    }

    // What gave up because its items had failed tells its caller how they failed. Where not even that can be told there is an ending all
    // the same, for this call and for those behind it.
    private Exception Why(PoolCall call, in Frame answer)
    {
        try
        {
            var error = ErrorPayload.Read(answer.Payload);
            var cause = error.Kind == ErrorKind.Cancelled ? call.Request?.Failure : null;
            return cause ?? events.Endings.Of(error, call.Call.Operation, worker.ProcessId);
        }
        catch (Exception failure)
        {
            return failure;
        }
    }

    private static FrameException Unexpected(in Frame frame) => new(
        FrameFault.UnexpectedFrame,
        $"{frame.Type} of call {frame.CallId} with flags {frame.Flags}, which does not run or is not answered so");
}
