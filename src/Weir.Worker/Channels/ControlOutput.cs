using Weir.Protocol;

namespace Weir.Worker.Channels;

/// <summary>
/// The sending side of the control channel: whoever has something to say only queues it, one thread sends. So neither
/// the control thread nor a logging handler ever waits for the host. Used concurrently.
/// </summary>
/// <remarks>
/// Bounded: of PONG only the latest waits, READY, RETURNED and BYE come once, and LOG is dropped and counted while
/// <see cref="MostLogWaiting"/> bytes wait.
/// </remarks>
internal sealed class ControlOutput : IDisposable
{
    /// <summary>256 KB: about a second of a chatty worker, and little beside its 3 MB.</summary>
    public const int MostLogWaiting = 256 << 10;

    private readonly IChannel _channel;
    private readonly Action _hostGone;
    private readonly Thread _thread;
    private readonly object _lock = new();

    private FrameWriter _waiting = new();   // Under the lock.
    private FrameWriter _sending = new();   // The sending thread's.
    private ulong? _pong;                   // Under the lock.
    private uint _dropped;                  // Under the lock.
    private bool _finished;                 // Under the lock: nothing is queued any more.

    /// <param name="channel">The control channel.</param>
    /// <param name="hostGone">Called on the sending thread when nobody reads any more.</param>
    public ControlOutput(IChannel channel, Action hostGone)
    {
        _channel = channel;
        _hostGone = hostGone;
        _thread = new Thread(SendLoop) { Name = "weir-control-out", IsBackground = true };
        _thread.Start();
    }

    public void Ready(ReadyPayload ready) => Queue(ready.Write);

    public void Ready(in StartFailure failure) => Queue(failure.Write);

    public void Returned(ulong first, ulong last) => Queue(w => new ReturnedPayload(last).Write(w, first));

    public void Pong(ulong stamp)
    {
        lock (_lock)
        {
            _pong = stamp;
            Monitor.Pulse(_lock);
        }
    }

    public void Log(in LogPayload record, ulong callId)
    {
        lock (_lock)
        {
            if (_finished)
            {
                return;
            }

            if (_waiting.Pending >= MostLogWaiting)
            {
                _dropped++;
                return;
            }

            (record with { Dropped = _dropped }).Write(_waiting, callId);
            _dropped = 0;
            Monitor.Pulse(_lock);
        }
    }

    /// <summary>Says BYE after everything that waits, and waits until it is sent.</summary>
    /// <param name="bye">The last frame of this worker.</param>
    /// <param name="patience">How long the host may take to read it.</param>
    /// <returns>Whether it was sent.</returns>
    public bool Finish(in ByePayload bye, TimeSpan patience)
    {
        lock (_lock)
        {
            if (!_finished)
            {
                bye.Write(_waiting);
                _finished = true;
                Monitor.Pulse(_lock);
            }
        }

        return _thread.Join(patience);
    }

    /// <summary>Sends what waits and ends the thread, where the process does not end before.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            _finished = true;
            Monitor.Pulse(_lock);
        }

        _thread.Join();
        _waiting.Dispose();
        _sending.Dispose();
    }

    private void Queue(Action<FrameWriter> write)
    {
        lock (_lock)
        {
            if (!_finished)
            {
                write(_waiting);
                Monitor.Pulse(_lock);
            }
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
                    _channel.Send(bytes.Span);
                    _sending.Consume(bytes.Length);
                }
            }
        }
        catch (ChannelEndedException)
        {
            _hostGone();
        }
    }

    // Swaps the buffers as soon as there is something to send; false when all is said.
    private bool Take()
    {
        lock (_lock)
        {
            while (_waiting.Pending == 0 && _pong is null)
            {
                if (_finished)
                {
                    return false;
                }

                Monitor.Wait(_lock);
            }

            (_waiting, _sending) = (_sending, _waiting);
            if (_pong is { } stamp && !_finished)
            {
                new PingPayload(stamp).Write(_sending, FrameType.Pong);
            }

            _pong = null;
            return true;
        }
    }
}
