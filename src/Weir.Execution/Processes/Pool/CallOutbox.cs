using System.Diagnostics.CodeAnalysis;
using Weir.Protocol;

namespace Weir.Execution.Processes;

/// <summary>
/// The CALLs on their way to one worker. Many threads bring them; whoever finds nobody sending sends for all, and never waits: for
/// what finds no room the attendant calls back. Any thread. Bounded by what the pool gives to a worker.
/// </summary>
/// <param name="channel">The data channel, or the one channel of a worker that has no other.</param>
/// <param name="fields">The fixed fields of a call's frame.</param>
/// <param name="time">The clock.</param>
/// <param name="failed">A frame could not be written: nothing more can be sent. Called on the thread pool.</param>
[SuppressMessage("Design", "CA1001", Justification = "Close is its end, and gives the buffers back.")]
internal sealed class CallOutbox(WorkerChannel channel, Func<PoolCall, CallFields> fields, TimeProvider time, Action<Exception> failed) : IThreadPoolWorkItem
{
    // Then the thread pool goes on: whoever sends for others has something to do besides.
    private const int MostRounds = 8;

    // Below this the room that is free again soon is worth no polling.
    private const int Large = 64 * 1024;

    // Room of this size is worth another poll.
    private const int LeastRoom = 16 * 1024;

    // Held while frames are written, never while they are sent.
    private readonly Lock _adding = new();

    // The right to send. Taken before _adding, given back under it: who adds later finds it free.
    private readonly Lock _sending = new();

    private readonly GivenCalls _given = new();

    // Under _adding.
    private FrameWriter _filling = new();
    private bool _isClosed;
    private ulong _borrowedFrom = ulong.MaxValue;
    private ulong _writtenThrough;

    // Under _sending.
    private FrameWriter _flight = new();

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

    /// <summary>Adds a frame that is no CALL, behind the calls given so far, and sends: items, and everything where there is one channel.</summary>
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
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    void IThreadPoolWorkItem.Execute()
    {
        Volatile.Write(ref _isQueued, 0);
        Interlocked.MemoryBarrier();
        Flush();
    }

    /// <summary>A caller takes its memory back: what is not sent yet is copied.</summary>
    public void Detach() => CopyBorrowed();

    /// <summary>The worker has answered a call, which is not looked at any more. Whoever answers before it has read the whole frame, or before there was one, does not keep the caller's memory.</summary>
    public void Release(ulong answered)
    {
        if (answered >= Volatile.Read(ref _borrowedFrom) || answered > Volatile.Read(ref _writtenThrough))
        {
            CopyBorrowed();
        }
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

    private void CopyBorrowed()
    {
        lock (_sending)
        {
            lock (_adding)
            {
                Write_NeedsAdding();
                if (!_isClosed)
                {
                    _flight.CopyBorrowed();
                    _filling.CopyBorrowed();
                    _borrowedFrom = ulong.MaxValue;
                }
            }
        }

        // Whoever came meanwhile with something to send found the right taken.
        TryFlush(mayPoll: false);
    }

    private void Add_NeedsAdding<TState>(TState state, Action<FrameWriter, TState> write)
    {
        try
        {
            write(_filling, state);
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
            Volatile.Write(ref _writtenThrough, callId);
            if (_isClosed)
            {
                continue;
            }

            try
            {
                call.Write(_filling, callId, fields(call));
                if (call.Bytes >= FrameWriter.LeastBorrowed && callId < _borrowedFrom)
                {
                    _borrowedFrom = callId;
                }
            }
            catch (Exception failure)
            {
                // Half a frame would be in the way, and a missing one too.
                _isClosed = true;
                ThreadPool.UnsafeQueueUserWorkItem(static state => state.failed(state.failure), (failed, failure), preferLocal: false);
            }
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
                        if (_isClosed || _filling.Pending == 0 || rounds == MostRounds)
                        {
                            goesOn = !_isClosed && _filling.Pending > 0;
                            _borrowedFrom = goesOn ? _borrowedFrom : ulong.MaxValue;
                            isMine = false;
                            _sending.Exit();
                            break;
                        }

                        (_filling, _flight) = (_flight, _filling);
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
        var sent = 0;
        var rule = new SpinRule(time.TimestampFrequency);
        rule.Begin(time.GetTimestamp());
        do
        {
            Thread.Yield();
            sent = channel.TrySend(bytes);
        }
        while (sent == 0 && rule.GoOn(time.GetTimestamp()));
        return sent;
    }

    private void Drop_NeedsSending()
    {
        lock (_adding)
        {
            Write_NeedsAdding();
            _flight.Dispose();
            _filling.Dispose();
            _borrowedFrom = ulong.MaxValue;
        }
    }

    private void OnWritable()
    {
        // The thread that attends to all workers: it polls for nobody.
        _waitsForRoom = false;
        TryFlush(mayPoll: false);
    }
}
