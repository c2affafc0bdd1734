using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;

namespace Weir.Worker.Channels;

/// <summary>
/// The sending side of the control channel. A thread that sends writes what the channel takes and never waits for the host: neither
/// the control thread nor a logging handler may wait. A separate thread waits and sends the rest, and ends when all is sent; a worker
/// whose host reads has no such thread. Used concurrently.
/// </summary>
/// <remarks>
/// Bounded: of PONG only the latest waits, READY, RETURNED and BYE come once, and LOG is dropped and counted while
/// <see cref="MostLogWaiting"/> bytes wait; errors only while twice as many do, so that they are the last to be dropped. PROGRESS is refused while as many
/// bytes wait: each call keeps its latest.
/// </remarks>
internal sealed class ControlOutput(IChannel channel, Action hostGone) : IDisposable
{
    /// <summary>256 KB: about one second of output of a worker that logs much, and little compared with the worker's 3 MB.</summary>
    public const int MostLogWaiting = 256 << 10;

    // As Microsoft.Extensions.Logging numbers it.
    private const byte ErrorLevel = 4;

    private readonly object _lock = new();

    // With a piece of its own: the first use of the array pool in a process is expensive, and READY would wait for it.
    private FrameWriter _waiting = new(first: new byte[FrameWriter.PieceSize]);     // Under the lock.
    private FrameWriter _sending = new();   // Owned by the sending thread.
    private Thread? _thread;                // Under the lock: while it is set, no other thread sends.
    private ulong? _pong;                   // Under the lock.
    private uint _dropped;                  // Under the lock.
    private bool _finished;                 // Under the lock: nothing is queued any more.

    /// <exception cref="PayloadTooLongException">The table is longer than 1 MB; nothing is sent.</exception>
    public void Ready(ReadyPayload ready) => Send(ready.Write);

    public void Ready(in StartFailure failure) => Send(failure.Write);

    public void Returned(ulong first, ulong last) => Send(w => new ReturnedPayload(last).Write(w, first));

    public void Pong(ulong stamp)
    {
        bool isOpen;
        lock (_lock)
        {
            _pong = stamp;
            isOpen = Send_NeedsLock();
        }

        Heed(isOpen);
    }

    public void Log(in LogPayload record, ulong callId)
    {
        bool isOpen;
        lock (_lock)
        {
            if (_finished)
            {
                return;
            }

            if (_waiting.Pending >= (record.Level >= ErrorLevel ? 2 * MostLogWaiting : MostLogWaiting))
            {
                _dropped++;
                return;
            }

            (record with { Dropped = _dropped }).Write(_waiting, callId);
            _dropped = 0;
            isOpen = Send_NeedsLock();
        }

        Heed(isOpen);
    }

    /// <summary>Sends how far the job of a call is.</summary>
    /// <returns><c>false</c> when too much waits for the host; it may be sent later.</returns>
    public bool TrySend(in ProgressPayload progress, ulong callId)
    {
        bool isOpen;
        lock (_lock)
        {
            if (_finished)
            {
                return true;
            }

            if (_waiting.Pending >= MostLogWaiting)
            {
                return false;
            }

            progress.Write(_waiting, callId);
            isOpen = Send_NeedsLock();
        }

        Heed(isOpen);
        return true;
    }

    /// <summary>Sends BYE after everything that waits, and waits until it is sent.</summary>
    /// <param name="bye">The last frame of this worker.</param>
    /// <param name="patience">How long the host may take to read it.</param>
    /// <returns>Whether it was sent.</returns>
    public bool Finish(in ByePayload bye, TimeSpan patience)
    {
        bool isOpen;
        Thread? thread;
        lock (_lock)
        {
            if (!_finished)
            {
                bye.Write(_waiting);
                _finished = true;
            }

            isOpen = Send_NeedsLock();
            thread = _thread;
        }

        Heed(isOpen);
        return thread?.Join(patience) ?? true;
    }

    /// <summary>Sends what waits, if the process does not end before.</summary>
    public void Dispose()
    {
        Thread? thread;
        lock (_lock)
        {
            _finished = true;
            thread = _thread;
        }

        thread?.Join();
        _waiting.Dispose();
        _sending.Dispose();
    }

    private void Send(Action<FrameWriter> write)
    {
        bool isOpen;
        lock (_lock)
        {
            if (_finished)
            {
                return;
            }

            write(_waiting);
            isOpen = Send_NeedsLock();
        }

        Heed(isOpen);
    }

    // Not under the lock: a thread that holds it must not end this process.
    private void Heed(bool isOpen)
    {
        if (!isOpen)
        {
            hostGone();
        }
    }

    // Sends what the channel takes; a separate thread sends the rest. False when the host does not read any more.
    private bool Send_NeedsLock()
    {
        if (_thread is not null)
        {
            return true;
        }

        WritePong_NeedsLock();
        try
        {
            while (_waiting.TryPeek(out var bytes))
            {
                var count = channel.TrySend(bytes.Span);
                if (count == 0)
                {
                    // The thread waits for this lock before it reads any field.
                    var thread = new Thread(SendLoop) { Name = "weir-control-out", IsBackground = true };
                    thread.UnsafeStart();
                    _thread = thread;
                    break;
                }

                _waiting.Consume(count);
            }

            return true;
        }
        catch (ChannelEndedException)
        {
            _finished = true;
            _waiting.Dispose();
            return false;
        }
    }

    private void SendLoop()
    {
        try
        {
            while (Take())
            {
                while (_sending.TryPeek(out var bytes))
                {
                    channel.Send(bytes.Span);
                    _sending.Consume(bytes.Length);
                }
            }
        }
        catch (ChannelEndedException)
        {
            lock (_lock)
            {
                _finished = true;
            }

            hostGone();
        }
    }

    // Swaps the buffers while there is something to send. False when all is sent: from then on every thread sends for itself again.
    private bool Take()
    {
        lock (_lock)
        {
            WritePong_NeedsLock();
            if (_waiting.Pending == 0)
            {
                _thread = null;
                return false;
            }

            (_waiting, _sending) = (_sending, _waiting);
            return true;
        }
    }

    private void WritePong_NeedsLock()
    {
        if (_pong is { } stamp && !_finished)
        {
            new PingPayload(stamp).Write(_waiting, FrameType.Pong);
        }

        _pong = null;
    }
}
