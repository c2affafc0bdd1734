using System.Diagnostics.CodeAnalysis;
using Weir.Protocol;

namespace Weir.Execution.Processes;

/// <summary>
/// The frames on their way to one worker over one channel. Whoever adds a frame sends what fits without waiting; the rest
/// follows when there is room. Any thread. Bounded by what is added: one call at a time, and control frames about it.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "Close is its end, and gives the buffers back.")]
internal sealed class Outbox(WorkerChannel channel)
{
    private readonly Lock _gate = new();

    // Under _gate.
    private readonly FrameWriter _frames = new();
    private bool _waitsForRoom;
    private bool _closed;

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

    /// <summary>Adds the CALL of a call. Its arguments may still be referred to afterwards, until <see cref="Release"/>, <see cref="Detach"/> or <see cref="Close"/>.</summary>
    public void Send(PoolCall call, ulong callId, in CallFields fields)
    {
        lock (_gate)
        {
            if (!_closed)
            {
                call.Write_NeedsOutboxLock(_frames, callId, fields);
                Flush_NeedsLock();
            }
        }
    }

    /// <summary>The caller takes its memory back: what is not sent yet is copied, and if nothing was written yet nothing will be read.</summary>
    public void Detach(PoolCall call)
    {
        lock (_gate)
        {
            call.IsDetached = true;
            Release_NeedsLock();
        }
    }

    /// <summary>Copies what is still referred to, if anything is.</summary>
    public void Release()
    {
        lock (_gate)
        {
            Release_NeedsLock();
        }
    }

    /// <summary>Nothing is read from any call any more, and nothing sent.</summary>
    public void Close()
    {
        lock (_gate)
        {
            _closed = true;
            _frames.Dispose();
        }
    }

    private void Release_NeedsLock()
    {
        if (!_closed && _frames.Pending > 0)
        {
            _frames.CopyBorrowed();
        }
    }

    private void Flush_NeedsLock()
    {
        while (!_waitsForRoom && _frames.TryPeek(out var bytes))
        {
            var sent = channel.TrySend(bytes.Span);
            if (sent > 0)
            {
                _frames.Consume(sent);
            }
            else if (sent == 0)
            {
                _waitsForRoom = true;
                channel.WhenWritable(OnWritable);
            }
            else
            {
                // Nobody reads any more. That never ends a worker: what it sent before is still to be read.
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
            _waitsForRoom = false;
            if (!_closed)
            {
                Flush_NeedsLock();
            }
        }
    }
}
