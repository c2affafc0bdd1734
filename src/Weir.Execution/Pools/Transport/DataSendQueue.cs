using System.Diagnostics.CodeAnalysis;
using Weir.Execution.Pools.Calls;
using Weir.Execution.Processes;
using Weir.Execution.Threading;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;

namespace Weir.Execution.Pools.Transport;

/// <summary>
/// The CALLs on their way to one worker. Many threads bring them; whoever finds nobody sending sends for all, and never waits: for
/// what finds no room the attendant calls back. Any thread. Bounded by what the pool gives to a worker.
/// </summary>
/// <param name="channel">The data channel.</param>
/// <param name="fields">The fixed fields of a call's frame.</param>
/// <param name="time">The clock.</param>
/// <param name="failed">A frame could not be written: nothing more can be sent. Called on the thread pool.</param>
[SuppressMessage("Design", "CA1001", Justification = "Close is its end, and gives the buffers back.")]
internal sealed class DataSendQueue(WorkerChannel channel, Func<PoolCall, CallFields> fields, TimeProvider time, Action<Exception> failed) : IWorkItem
{
    // Then the thread pool goes on: whoever sends for others has something to do besides.
    private const int MostRounds = 8;

    // Below this the room that is free again soon is worth no polling.
    private const int Large = 64 * 1024;

    // How long is waited for the room of a large frame before the attendant is to call back.
    private static readonly TimeSpan LongestWait = TimeSpan.FromMicroseconds(50);

    // Room of this size is worth another wait.
    private const int LeastRoom = 16 * 1024;

    // Held while frames are written, never while they are sent.
    private readonly Lock _adding = new();

    // The right to send. Taken before _adding, given back under it: who adds later finds it free.
    private readonly Lock _sending = new();

    private readonly AssignedCalls _given = new();

    // Under _adding.
    private FrameWriter _filling = new();
    private bool _isClosed;
    private long _written;

    // Under _adding: calls whose frames refer to their memory, and where each frame ends in all that was ever written. In that order, so
    // those that were sent are the first. Bounded by the calls of the worker.
    private readonly Queue<(ulong CallId, long End)> _borrowed = new();

    // Written under _adding: the last call among those, 0 for none; the last call whose frame was written.
    private ulong _borrowedThrough;
    private ulong _writtenThrough;

    // Under _sending: what is sent now, and what was set aside behind it to be copied.
    private FrameWriter _flight = new();
    private readonly Queue<FrameWriter> _next = new();

    // Written under _sending.
    private long _sent;

    private volatile bool _waitsForRoom;
    private int _isQueued;

    /// <summary>The pool gives the worker a call. Under the pool's lock; <see cref="Flush"/> or <see cref="FlushSoon"/> follows when it is let go.</summary>
    public void Give(PoolCall call, ulong callId)
    {
        if (_given.IsFull)
        {
            Write();
        }

        _given.Add(call, callId);
    }

    /// <summary>Writes the frames of all calls given so far: the pool may give them to somebody else.</summary>
    public void Write()
    {
        lock (_adding)
        {
            Write_NeedsAdding();
        }
    }

    /// <summary>Adds a frame that is no CALL, behind the calls given so far, and sends.</summary>
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

    /// <summary>Sends what was given, or leaves it to the one who sends already.</summary>
    public void Flush()
    {
        if (!TryFlush(mayPoll: true))
        {
            // Whoever sends goes on with what is written by now, or has just ended.
            Write();
            TryFlush(mayPoll: true);
        }
    }

    /// <summary>The same a moment later, together with what others bring until then.</summary>
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

    /// <summary>Whether what is not sent yet may refer to the memory of this call: it has to be released when its caller has its ending. Without a lock.</summary>
    public bool MayRefer(ulong callId) =>

        // In this order: what is written has been noted as borrowed before.
        callId > Volatile.Read(ref _writtenThrough) || callId <= Volatile.Read(ref _borrowedThrough);

    /// <summary>Whether what is written and not sent may refer to the memory of calls from this one on. Without a lock.</summary>
    public bool Borrows(ulong first) => first <= Volatile.Read(ref _borrowedThrough);

    /// <summary>All callers have their memory back: what is not sent yet is copied.</summary>
    public void Detach() => CopyBorrowed();

    /// <summary>The call is not looked at any more: it was answered or its caller left, before its frame was sent or even written. Other calls' memory is not copied for it, unless its own is.</summary>
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

    /// <summary>Nothing is read from any call any more, and nothing sent.</summary>
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

    // Megabytes, maybe: with the right to send and without _adding, which the pool waits for.
    private void CopyBorrowed()
    {
        lock (_sending)
        {
            // 1. What is filled now goes behind what is sent now, and is filled no more.
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

            // 2. Copied.
            _flight.CopyBorrowed();
            foreach (var writer in _next)
            {
                writer.CopyBorrowed();
            }

            // 3. Known to be.
            lock (_adding)
            {
                Forget_NeedsAdding(end);
            }
        }

        // Whoever came meanwhile with something to send found the right taken.
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

    // Nothing up to this place refers to the calls any more.
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
            // Half a frame would be in the way of the next one.
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
                // Half a frame would be in the way, and a missing one too.
                _isClosed = true;
                Callbacks.Queue((failed, failure), static state => state.failed(state.failure), static (_, _) => { });
            }

            // Last: whoever reads it goes on without the lock, and the call may be another one then.
            Volatile.Write(ref _writtenThrough, callId);
        }
    }

    private void Write_NeedsAdding(PoolCall call, ulong callId)
    {
        var before = _filling.Pending;
        call.Write(_filling, callId, fields(call));
        _written += _filling.Pending - before;
        if (call.Bytes >= FrameWriter.LeastBorrowed)
        {
            Forget_NeedsAdding(Volatile.Read(ref _sent));
            _borrowed.Enqueue((callId, _written));
            Volatile.Write(ref _borrowedThrough, callId);
        }
    }

    // False when somebody else sends. While room is waited for nobody does: whoever is called back goes on, with everything.
    private bool TryFlush(bool mayPoll)
    {
        while (!_waitsForRoom)
        {
            if (!_sending.TryEnter())
            {
                return false;
            }

            if (!_waitsForRoom)
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
                    waits = _waitsForRoom;
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
            // Only now that whoever is called back finds the right free.
            channel.WhenWritable(OnWritable);
        }
    }

    // False when the rest has to wait, or nobody reads it.
    private bool TrySend(ref bool mayPoll)
    {
        _flight.TryPeek(out var bytes);
        var sent = channel.TrySend(bytes.Span);
        if (sent == 0 && mayPoll && _flight.Pending >= Large)
        {
            // So long as a worker reads as fast as that; who takes a byte at a time holds nobody here.
            sent = PollForRoom(bytes.Span);
            mayPoll = sent >= LeastRoom;
        }

        if (sent > 0)
        {
            _flight.Consume(sent);
            Volatile.Write(ref _sent, _sent + sent);
            return true;
        }

        if (sent == 0)
        {
            _waitsForRoom = true;
            return false;
        }

        // Nobody reads any more. That never ends a worker: what it sent before is still to be read.
        lock (_adding)
        {
            _isClosed = true;
        }

        Drop_NeedsSending();
        return false;
    }

    // A worker that reads a large frame makes room within microseconds; to be called back takes longer.
    private int PollForRoom(ReadOnlySpan<byte> bytes)
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
        // The thread that attends to all workers: it polls for nobody.
        _waitsForRoom = false;
        TryFlush(mayPoll: false);
    }
}
