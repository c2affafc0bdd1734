using System.Diagnostics.CodeAnalysis;
using Weir.Execution.Processes;
using Weir.Protocol.Frames;

namespace Weir.Execution.Pools.Transport;

/// <summary>
/// The frames on their way to one worker over the control channel. A thread that adds a frame sends what fits without waiting; the
/// rest follows when there is space. Any thread. Bounded by what is added: frames about the calls a worker has.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "Close is its end, and gives the buffers back.")]
internal sealed class ControlSendQueue(WorkerChannel channel)
{
    private readonly Lock _gate = new();

    // Under _gate.
    private readonly FrameWriter _frames = new();
    private bool _waitsForSpace;
    private bool _closed;
    private FrameType _waiting;     // Of SendOnce.

    /// <summary>Adds what the callback writes, and sends.</summary>
    public void Send<TState>(TState state, Action<FrameWriter, TState> write)
    {
        lock (_gate)
        {
            if (!_closed)
            {
                write(_frames, state);
                Flush_NeedsLock();
            }
        }
    }

    /// <summary>Adds a frame that has nothing but its type, and sends; adds nothing where one of this type still waits to be sent.</summary>
    public void SendOnce(FrameType type)
    {
        lock (_gate)
        {
            if (!_closed && _waiting != type)
            {
                _frames.Append(type, 0);
                Flush_NeedsLock();
                _waiting = _waitsForSpace ? type : 0;
            }
        }
    }

    /// <summary>Nothing is sent any more.</summary>
    public void Close()
    {
        lock (_gate)
        {
            _closed = true;
            _frames.Dispose();
        }
    }

    private void Flush_NeedsLock()
    {
        while (!_waitsForSpace && _frames.TryPeek(out var bytes))
        {
            var sent = channel.TrySend(bytes.Span);
            if (sent > 0)
            {
                _frames.Consume(sent);
            }
            else if (sent == 0)
            {
                _waitsForSpace = true;
                channel.WhenWritable(OnWritable);
            }
            else
            {
                // The worker does not read any more. That never ends a worker: what it sent before is still to be read.
                _closed = true;
                _frames.Dispose();
                return;
            }
        }
    }

    private void OnWritable()
    {
        lock (_gate)
        {
            _waitsForSpace = false;
            if (!_closed)
            {
                Flush_NeedsLock();
                _waiting = _waitsForSpace ? _waiting : 0;
            }
        }
    }
}
