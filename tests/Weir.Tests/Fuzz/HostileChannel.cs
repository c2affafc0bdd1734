using Weir.Execution.Processes;
using Weir.Protocol.Frames;

namespace Weir.Tests.Fuzz;

/// <summary>One channel of a hostile worker. Its bytes arrive in pieces of any size.</summary>
internal sealed class HostileChannel(FrameRoute down, int seed) : WorkerChannel
{
    private readonly object _gate = new();
    private readonly Lock _attending = new();
    private readonly Queue<byte[]> _said = new();
    private readonly Random _random = new(seed);
    private readonly FrameReader _heard = new(down);

    // Under _gate.
    private byte[] _piece = [];
    private int _taken;
    private bool _ended;

    // Under _attending.
    private Func<bool>? _onReadable;
    private Action<Exception>? _onViolation;

    /// <summary>Handles a frame of the host. Never called on the host's reading threads, and never concurrently.</summary>
    public Action<FrameType, ulong, byte[]>? OnHeard { get; set; }

    /// <summary>The worker's ends of the rings, if frames go through shared memory: then the channel is only used to wake.</summary>
    public HostileRings? Rings { get; set; }

    /// <summary>Called once, when the host has nothing more to read and waits.</summary>
    public Action? OnAwaited { get; set; }

    public void Say(byte[] bytes)
    {
        if (bytes.Length == 0)
        {
            return;
        }

        lock (_gate)
        {
            _said.Enqueue(bytes);
            Monitor.PulseAll(_gate);
        }

        ThreadPool.UnsafeQueueUserWorkItem(static channel => channel.LetRead(), this, preferLocal: false);
    }

    public override int Receive(Span<byte> buffer)
    {
        lock (_gate)
        {
            int received;
            while ((received = Take_NeedsGate(buffer)) < 0)
            {
                if (OnAwaited is { } callback)
                {
                    OnAwaited = null;
                    ThreadPool.UnsafeQueueUserWorkItem(static callback => callback(), callback, preferLocal: false);
                }

                Monitor.Wait(_gate);
            }

            return received;
        }
    }

    public override int TryReceive(Span<byte> buffer)
    {
        lock (_gate)
        {
            return Take_NeedsGate(buffer);
        }
    }

    // One thread writes at a time, as the host promises.
    public override int TrySend(ReadOnlySpan<byte> bytes)
    {
        lock (_gate)
        {
            if (_ended)
            {
                return -1;
            }
        }

        if (Rings is { } rings)
        {
            rings.Hear(_heard, OnHeard!);
            return bytes.Length;
        }

        _heard.Append(bytes);
        while (_heard.TryRead(out var frame))
        {
            OnHeard?.Invoke(frame.Type, frame.CallId, frame.Payload.ToArray());
        }

        return bytes.Length;
    }

    public override void Attend(Func<bool> onReadable, Action<Exception> onViolation)
    {
        lock (_attending)
        {
            (_onReadable, _onViolation) = (onReadable, onViolation);
        }

        LetRead();
    }

    public override Task FinishAsync()
    {
        LetRead();
        lock (_attending)
        {
            _onReadable = null;
        }

        return Task.CompletedTask;
    }

    public override void WhenWritable(Action callback) => throw new NotSupportedException("There is always space.");

    public override void End()
    {
        lock (_gate)
        {
            _ended = true;
            Monitor.PulseAll(_gate);
        }
    }

    public override void Dispose() => _heard.Dispose();

    private int Take_NeedsGate(Span<byte> buffer)
    {
        if (_taken == _piece.Length)
        {
            _taken = 0;
            if (!_said.TryDequeue(out var next))
            {
                _piece = [];
                return _ended ? 0 : -1;
            }

            _piece = next;
        }

        var count = Math.Min(buffer.Length, _random.Next(3) == 0 ? _random.Next(1, _piece.Length - _taken + 1) : _piece.Length - _taken);
        _piece.AsSpan(_taken, count).CopyTo(buffer);
        _taken += count;
        return count;
    }

    // Like the epoll loop: one thread at a time, and an exception ends the worker.
    private void LetRead()
    {
        lock (_attending)
        {
            if (_onReadable is null)
            {
                return;
            }

            try
            {
                // It returns after a few pieces, so that other channels have their turn, and is called again while there is more.
                while (_onReadable())
                {
                    lock (_gate)
                    {
                        if (_said.Count == 0 && _taken == _piece.Length)
                        {
                            return;
                        }
                    }
                }

                _onReadable = null;
            }
            catch (Exception failure)
            {
                _onReadable = null;
                _onViolation!(failure);
            }
        }
    }
}
