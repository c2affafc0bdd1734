using System.Diagnostics.CodeAnalysis;
using Weir.Execution.Pools.Calls;
using Weir.Execution.Processes;
using Weir.Execution.Threading;
using Weir.Protocol.Frames;

namespace Weir.Execution.Pools.Transport;

/// <summary>
/// The CALLs on their way to one worker. Many threads add them; a thread that finds no other one sending sends for all, and never
/// waits: when the channel is full, the epoll loop calls back. Any thread. Bounded by the calls that the pool assigns to a worker.
/// </summary>
/// <param name="channel">The data channel.</param>
/// <param name="write">Appends the CALL of an id.</param>
/// <param name="time">The clock.</param>
/// <param name="failed">A frame could not be written: nothing more can be sent. Called on the thread pool.</param>
[SuppressMessage("Design", "CA1001", Justification = "Close is its end, and gives the buffers back.")]
internal sealed class DataSendQueue(WorkerChannel channel, Action<FrameWriter, PoolCall, ulong> write, TimeProvider time, Action<Exception> failed) : IWorkItem
{
    // After so many rounds the thread pool continues: the sending thread has other work, too.
    private const int MostRounds = 8;

    // Bytes: with less to send, it is not worth polling for free space in the channel.
    private const int Large = 64 * 1024;

    // How long to poll for space for a large frame before the epoll loop is asked to call back.
    private static readonly TimeSpan LongestWait = TimeSpan.FromMicroseconds(50);

    // Bytes: if polling gained at least so much, it is worth polling again.
    private const int LeastSpace = 16 * 1024;

    // Held while frames are written, never while they are sent.
    private readonly Lock _adding = new();

    // The right to send. Taken before _adding, released under it: a thread that adds later finds it free.
    private readonly Lock _sending = new();

    private readonly AssignedCalls _given = new();

    // Under _adding.
    private FrameWriter _filling = new();
    private bool _isClosed;
    private long _written;

    // Under _adding: calls whose frames refer to their memory, and where each frame ends, in bytes of all that was ever written. In that
    // order, so calls whose frames were sent are the first. Bounded by the calls of the worker.
    private readonly Queue<(ulong CallId, long End)> _borrowed = new();

    // Written under _adding: the last call among those, 0 for none; the last call whose frame was written.
    private ulong _borrowedThrough;
    private ulong _writtenThrough;

    // Under _sending: the frames that are sent now, and those that were set aside behind them to be copied.
    private FrameWriter _flight = new();
    private readonly Queue<FrameWriter> _next = new();

    // Written under _sending.
    private long _sent;

    private volatile bool _waitsForSpace;
    private int _isQueued;

    /// <summary>The pool assigns a call to the worker. Under the pool's lock; <see cref="Flush"/> or <see cref="FlushSoon"/> follows when the lock is released.</summary>
    public void Assign(PoolCall call, ulong callId)
    {
        if (_given.IsFull)
        {
            Write();
        }

        _given.Add(call, callId);
    }

    /// <summary>Writes the frames of all calls assigned so far: afterwards the pool may assign them to another worker.</summary>
    public void Write()
    {
        lock (_adding)
        {
            Write_NeedsAdding();
        }
    }

    /// <summary>Adds a frame that is not a CALL, behind the calls assigned so far, and sends.</summary>
    public void Send<TState>(TState state, Action<FrameWriter, TState> write)
    {
        lock (_adding)
        {
            Write_NeedsAdding();
            if (!_isClosed)
            {
                Add_NeedsAdding(state, write);
            }
        }

        Flush();
    }

    /// <summary>Sends what was assigned, or leaves it to the thread that is sending already.</summary>
    public void Flush()
    {
        if (!TryFlush(mayPoll: true))
        {
            // The thread that sends continues with what is written by now, or has just stopped.
            Write();
            TryFlush(mayPoll: true);
        }
    }

    /// <summary>The same a moment later on the thread pool, together with what other threads add until then.</summary>
    public void FlushSoon()
    {
        if (Interlocked.Exchange(ref _isQueued, 1) == 0)
        {
            Callbacks.Queue(this);
        }
    }

    void IWorkItem.OnFailed(Exception failure) => failed(failure);

    void IWorkItem.Run()
    {
        Volatile.Write(ref _isQueued, 0);
        Interlocked.MemoryBarrier();
        Flush();
    }

    /// <summary>Whether what is not sent yet may refer to the memory of this call: then it has to be released when its caller has its outcome. Without a lock.</summary>
    public bool MayRefer(ulong callId) =>

        // In this order: a call is recorded as borrowed before it counts as written.
        callId > Volatile.Read(ref _writtenThrough) || callId <= Volatile.Read(ref _borrowedThrough);

    /// <summary>Whether what is written and not sent may refer to the memory of calls from this one on. Without a lock.</summary>
    public bool Borrows(ulong first) => first <= Volatile.Read(ref _borrowedThrough);

    /// <summary>Copies what is not sent yet: all callers have their memory back.</summary>
    public void Detach() => CopyBorrowed();

    /// <summary>The call is not read any more: it was answered or its caller cancelled, before its frame was sent or even written. Other calls' memory is copied only if this call's is.</summary>
    public void Release(ulong callId)
    {
        lock (_adding)
        {
            Write_NeedsAdding();
            if (!Borrows_NeedsAdding(callId))
            {
                return;
            }
        }

        CopyBorrowed();
    }

    /// <summary>No call is read any more, and nothing is sent.</summary>
    public void Close()
    {
        lock (_adding)
        {
            _isClosed = true;
        }

        lock (_sending)
        {
            Drop_NeedsSending();
        }
    }

    // It may be megabytes: copied with the right to send and without _adding, which the pool waits for.
    private void CopyBorrowed()
    {
        lock (_sending)
        {
            // 1. The frames that are being filled go behind those that are being sent, and get no more.
            long end;
            lock (_adding)
            {
                Write_NeedsAdding();
                end = _written;
                if (_filling.Pending > 0 && _borrowed.Count > 0)
                {
                    _next.Enqueue(_filling);
                    _filling = new FrameWriter();
                }
            }

            // 2. They are copied.
            _flight.CopyBorrowed();
            foreach (var writer in _next)
            {
                writer.CopyBorrowed();
            }

            // 3. They are recorded as copied.
            lock (_adding)
            {
                Forget_NeedsAdding(end);
            }
        }

        // A thread that added something to send in the meantime found the right taken.
        TryFlush(mayPoll: false);
    }

    private bool Borrows_NeedsAdding(ulong callId)
    {
        Forget_NeedsAdding(Volatile.Read(ref _sent));
        foreach (var (borrowed, _) in _borrowed)
        {
            if (borrowed == callId)
            {
                return true;
            }
        }

        return false;
    }

    // No frame up to this position refers to the calls any more.
    private void Forget_NeedsAdding(long end)
    {
        while (_borrowed.TryPeek(out var first) && first.End <= end)
        {
            _borrowed.Dequeue();
        }

        if (_borrowed.Count == 0)
        {
            Volatile.Write(ref _borrowedThrough, 0);
        }
    }

    private void Add_NeedsAdding<TState>(TState state, Action<FrameWriter, TState> write)
    {
        var before = _filling.Pending;
        try
        {
            write(_filling, state);
            _written += _filling.Pending - before;
        }
        catch
        {
            // The next frame must not follow half a frame.
            _filling.Discard();
            throw;
        }
    }

    private void Write_NeedsAdding()
    {
        while (_given.TryTake(out var call, out var callId))
        {
            try
            {
                if (!_isClosed)
                {
                    Write_NeedsAdding(call, callId);
                }
            }
            catch (Exception failure)
            {
                // Half a frame would break the protocol, and so would a missing one.
                _isClosed = true;
                Callbacks.Queue((failed, failure), static state => state.failed(state.failure), static (_, _) => { });
            }

            // Last: a thread that reads it continues without the lock, and from then on the entry may belong to another call.
            Volatile.Write(ref _writtenThrough, callId);
        }
    }

    // Step 5 of an isolated call (docs/architecture.md).
    private void Write_NeedsAdding(PoolCall call, ulong callId)
    {
        var before = _filling.Pending;
        write(_filling, call, callId);
        _written += _filling.Pending - before;
        if (call.Bytes >= FrameWriter.LeastBorrowed)
        {
            Forget_NeedsAdding(Volatile.Read(ref _sent));
            _borrowed.Enqueue((callId, _written));
            Volatile.Write(ref _borrowedThrough, callId);
        }
    }

    // False when another thread sends. While the queue waits for space, no thread sends: the callback continues, with everything.
    private bool TryFlush(bool mayPoll)
    {
        while (!_waitsForSpace)
        {
            if (!_sending.TryEnter())
            {
                return false;
            }

            if (!_waitsForSpace)
            {
                SendRest(mayPoll);
                return true;
            }

            _sending.Exit();
        }

        return true;
    }

    private void SendRest(bool mayPoll)
    {
        var isMine = true;
        var goesOn = false;
        var waits = false;
        try
        {
            for (var rounds = 0; ;)
            {
                if (_flight.Pending == 0)
                {
                    lock (_adding)
                    {
                        Write_NeedsAdding();
                        var hasMore = _next.Count > 0 || _filling.Pending > 0;
                        if (_isClosed || !hasMore || rounds == MostRounds)
                        {
                            goesOn = !_isClosed && hasMore;
                            isMine = false;
                            _sending.Exit();
                            break;
                        }

                        if (_next.TryDequeue(out var next))
                        {
                            _flight.Dispose();
                            _flight = next;
                        }
                        else
                        {
                            (_filling, _flight) = (_flight, _filling);
                        }
                    }

                    rounds++;
                }

                if (!TrySend(ref mayPoll))
                {
                    waits = _waitsForSpace;
                    break;
                }
            }
        }
        finally
        {
            if (isMine)
            {
                _sending.Exit();
            }
        }

        if (goesOn)
        {
            FlushSoon();
        }
        else if (waits)
        {
            // Only now: the callback must find the right to send free.
            channel.WhenWritable(OnWritable);
        }
    }

    // False when the rest has to wait, or the worker does not read any more.
    private bool TrySend(ref bool mayPoll)
    {
        _flight.TryPeek(out var bytes);
        var sent = channel.TrySend(bytes.Span);
        if (sent == 0 && mayPoll && _flight.Pending >= Large)
        {
            // Only while the worker reads that fast: one that takes a byte at a time must not hold this thread.
            sent = TrySendAgain(bytes.Span);
            mayPoll = sent >= LeastSpace;
        }

        if (sent > 0)
        {
            _flight.Consume(sent);
            Volatile.Write(ref _sent, _sent + sent);
            return true;
        }

        if (sent == 0)
        {
            _waitsForSpace = true;
            return false;
        }

        // The worker does not read any more. That never ends a worker: what it sent before is still to be read.
        lock (_adding)
        {
            _isClosed = true;
        }

        Drop_NeedsSending();
        return false;
    }

    // A worker that reads a large frame frees space within microseconds; a callback takes longer.
    private int TrySendAgain(ReadOnlySpan<byte> bytes)
    {
        int sent;
        var began = time.GetTimestamp();
        do
        {
            Thread.Yield();
            sent = channel.TrySend(bytes);
        }
        while (sent == 0 && time.GetElapsedTime(began) <= LongestWait);
        return sent;
    }

    private void Drop_NeedsSending()
    {
        lock (_adding)
        {
            Write_NeedsAdding();
            _flight.Dispose();
            _filling.Dispose();
            while (_next.TryDequeue(out var next))
            {
                next.Dispose();
            }

            Forget_NeedsAdding(long.MaxValue);
        }
    }

    private void OnWritable()
    {
        // This is the thread of the epoll loop, which serves all workers: it must not poll.
        _waitsForSpace = false;
        TryFlush(mayPoll: false);
    }
}
