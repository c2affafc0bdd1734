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
    // items come, and who reads, where that thread goes on with an answer by itself.
    private FrameReader _frames = new(FrameRoute.DataUp, spec.Options.PayloadLimitBytes);
    private readonly AnswerTeller _answers = new(worker, events);
    private PoolStream? _stream;
    private ulong _streamId;
    private bool _isBroken;
    private int _polled;
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
        _resumer = worker.Page is null ? null : _bursts.Begin(_answers.PerCall);
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

        // A thread that only polls is not to end of what would end the worker.
        _resumer = resumer;
        _polled = 0;
        Guarded(this, static reader => reader.Poll());
        _resumer = null;
        return _polled == 0 || _isBroken ? -1 : Math.Max(_polled, 0);
    }

    private void Poll()
    {
        _polled = handle.Data.TryReceive(_frames.GetSpan());
        if (_polled > 0)
        {
            Take(_polled);
        }
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
            _answers.Tell(_resumer);
        }
    }

    private void OnFrame(in Frame frame)
    {
        switch (frame.Type)
        {
            case FrameType.Started when worker.Page is null:
                _answers.Tell(_resumer);
                if (!events.Started(worker, frame.CallId))
                {
                    throw AnswerTeller.Unexpected(frame);
                }

                break;

            case FrameType.Item:
                _answers.Tell(_resumer);
                if (frame.CallId != _streamId || _stream is null)
                {
                    _stream = events.Item(worker, frame.CallId) as PoolStream ?? throw AnswerTeller.Unexpected(frame);
                    _streamId = frame.CallId;
                }

                _stream.Accept(frame);
                break;

            case FrameType.Credit:
                // Whoever is asked for items has been seen to run, like one whose items come.
                _answers.Tell(_resumer);
                var sender = events.Item(worker, frame.CallId)?.Request ?? throw AnswerTeller.Unexpected(frame);
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
                throw AnswerTeller.Unexpected(frame);
        }
    }

    private void Keep(in Frame frame)
    {
        if (frame.CallId == _streamId)
        {
            _stream = null;
        }

        _answers.Keep(frame);
    }
}
