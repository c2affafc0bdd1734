using Weir.Execution.Processes.Linux.Epoll;
using Weir.Execution.Threading;
using Weir.Protocol.Frames;
using Weir.Protocol.SharedMemory;

namespace Weir.Execution.Processes.Linux.Launch;

/// <summary>
/// The host's end of a data channel whose bytes go through the rings in shared memory, once the worker has chosen it. A side that finds
/// bytes there needs no system call; the socket wakes a side that sleeps, and reports that the worker ended. Its bytes have no other meaning.
/// </summary>
/// <param name="socket">The data channel.</param>
internal sealed class RingChannel(WorkerChannel socket) : WorkerChannel
{
    private static readonly byte[] WakeByte = [1];

    // Set once, before anything is sent.
    private volatile SharedMemoryRegion? _region;
    private Action _signalSpace = null!;
    private Action<string> _onViolation = null!;

    // The worker is gone. Only the reader uses _left: how many bytes may still be taken.
    private volatile bool _isOver;
    private int _left = SharedMemoryLayout.RingSize;

    // Set by the thread that sends, taken by the thread that finds space.
    private Action? _onWritable;

    public override void Share(SharedMemoryRegion region, Action signalSpace, Action<string> onViolation)
    {
        _signalSpace = signalSpace;
        _onViolation = onViolation;
        _region = region;
    }

    public override bool MissedWake => _region is { } region && (region.HasUnread() || region.HasUntaken() || (Volatile.Read(ref _onWritable) is not null && region.HasSpace()));

    public override void WakeInAnyCase()
    {
        if (_region is not null)
        {
            try
            {
                // A socket without space holds bytes that the worker has not received yet: they wake it.
                _ = socket.TrySend(WakeByte);
            }
            catch (ObjectDisposedException)
            {
                // The worker has ended.
            }
        }
    }

    public override int Receive(Span<byte> buffer)
    {
        Span<byte> wakeBytes = stackalloc byte[64];
        while (true)
        {
            // 1. Take what is there. When the worker is gone, at most one full ring: a process that outlives the worker may continue to write.
            if (_isOver && _region is { } rest)
            {
                var last = Take(rest, buffer[..Math.Min(buffer.Length, _left)]);
                _left -= last;
                return last;
            }

            if (_region is not { } region)
            {
                // Before READY only the end of the channel can arrive; after it, the first byte that wakes the reader.
                if (socket.Receive(buffer) is var count && (count == 0 || _region is null))
                {
                    return count;
                }

                continue;
            }

            if (Take(region, buffer) is > 0 and var taken)
            {
                return taken;
            }

            // 2. Sleep, unless something has arrived since. 3. At the end of the channel, take the rest.
            if (region.TrySleep() && socket.Receive(wakeBytes) == 0)
            {
                return Take(region, buffer);
            }
        }
    }

    public override int TryReceive(Span<byte> buffer)
    {
        if (_region is not { } region)
        {
            return socket.TryReceive(buffer);
        }

        // Only a reader that waits sees the end of the channel: the socket reports it.
        return Take(region, buffer) is > 0 and var taken ? taken : -1;
    }

    public override int TrySend(ReadOnlySpan<byte> bytes)
    {
        if (_region is not { } region)
        {
            return socket.TrySend(bytes);
        }

        try
        {
            var sent = region.Send(bytes, out var isWoken);
            if (isWoken)
            {
                Wake();
            }

            return sent;
        }
        catch (FrameException violation)
        {
            Report(violation);
            return -1;
        }
    }

    public override void WhenWritable(Action callback)
    {
        if (_region is not { } region)
        {
            socket.WhenWritable(callback);
            return;
        }

        Volatile.Write(ref _onWritable, callback);
        if (!region.TryWaitForSpace())
        {
            CallBack();
        }
    }

    public override void Attend(Func<bool> onReadable, Action<Exception> onViolation) => socket.Attend(onReadable, onViolation);

    public override Task FinishAsync() => socket.FinishAsync();

    public override void End()
    {
        _isOver = true;
        socket.End();
    }

    public override void Dispose() => socket.Dispose();

    private int Take(SharedMemoryRegion region, Span<byte> buffer)
    {
        var taken = region.Take(buffer, out var isSpaceWanted);
        if (isSpaceWanted)
        {
            _signalSpace();
        }

        // For space, too, the worker wakes the host's reader, whichever thread that is now.
        if (Volatile.Read(ref _onWritable) is not null && region.HasSpace())
        {
            CallBack();
        }

        return taken;
    }

    private void CallBack()
    {
        if (Interlocked.Exchange(ref _onWritable, null) is { } callback)
        {
            EpollLoop.Shared.Post(callback, failure => _onViolation($"sending to it failed: {failure}"));
        }
    }

    // When the kernel has no memory for the byte, try again later. A worker that is gone need not be woken.
    private void Wake()
    {
        if (socket.TrySend(WakeByte) == 0)
        {
            socket.WhenWritable(Wake);
        }
    }

    // When even that fails, no other code could handle the failure.
    private void Report(FrameException violation) =>
        Callbacks.Queue((_onViolation, violation.Message), static violation => violation._onViolation(violation.Message), static (_, _) => { });
}
