using Weir.Execution.Processes.Linux.Epoll;
using Weir.Execution.Threading;
using Weir.Protocol.Frames;
using Weir.Protocol.Page;

namespace Weir.Execution.Processes.Linux.Launch;

/// <summary>
/// The host's end of a data channel whose bytes go through the rings in shared memory, once the worker has chosen it. A side that finds
/// bytes there needs no system call; the socket wakes a side that sleeps, and reports that the worker ended. Its bytes have no other meaning.
/// </summary>
/// <param name="socket">The data channel.</param>
internal sealed class RingChannel(WorkerChannel socket) : WorkerChannel
{
    private static readonly byte[] Bell = [1];

    // Set once, before anything is sent.
    private volatile SharedPage? _page;
    private Action _giveRoom = null!;
    private Action<string> _onFault = null!;

    // The worker is gone. Only the reader uses _left: how many bytes may still be taken.
    private volatile bool _isOver;
    private int _left = PageLayout.RingSize;

    // Set by the thread that sends, taken by the thread that finds space.
    private Action? _onWritable;

    public override void Share(SharedPage page, Action giveRoom, Action<string> onFault)
    {
        _giveRoom = giveRoom;
        _onFault = onFault;
        _page = page;
    }

    public override bool MissedWake => _page is { } page && (page.HasUnread() || page.HasUntaken() || (Volatile.Read(ref _onWritable) is not null && page.HasRoom()));

    public override void WakeInAnyCase()
    {
        if (_page is not null)
        {
            try
            {
                // A socket without space holds bytes that the worker has not received yet: they wake it.
                _ = socket.TrySend(Bell);
            }
            catch (ObjectDisposedException)
            {
                // The worker has ended.
            }
        }
    }

    public override int Receive(Span<byte> buffer)
    {
        Span<byte> bells = stackalloc byte[64];
        while (true)
        {
            // 1. Take what is there. When the worker is gone, at most one full ring: a process that outlives the worker may continue to write.
            if (_isOver && _page is { } rest)
            {
                var last = Take(rest, buffer[..Math.Min(buffer.Length, _left)]);
                _left -= last;
                return last;
            }

            if (_page is not { } page)
            {
                // Before READY only the end of the channel can arrive; after it, the first byte that wakes the reader.
                if (socket.Receive(buffer) is var count && (count == 0 || _page is null))
                {
                    return count;
                }

                continue;
            }

            if (Take(page, buffer) is > 0 and var taken)
            {
                return taken;
            }

            // 2. Sleep, unless something has arrived since. 3. At the end of the channel, take the rest.
            if (page.TrySleep() && socket.Receive(bells) == 0)
            {
                return Take(page, buffer);
            }
        }
    }

    public override int TryReceive(Span<byte> buffer)
    {
        if (_page is not { } page)
        {
            return socket.TryReceive(buffer);
        }

        // Only a reader that waits sees the end of the channel: the socket reports it.
        return Take(page, buffer) is > 0 and var taken ? taken : -1;
    }

    public override int TrySend(ReadOnlySpan<byte> bytes)
    {
        if (_page is not { } page)
        {
            return socket.TrySend(bytes);
        }

        try
        {
            var sent = page.Send(bytes, out var isWoken);
            if (isWoken)
            {
                Wake();
            }

            return sent;
        }
        catch (FrameException fault)
        {
            Report(fault);
            return -1;
        }
    }

    public override void WhenWritable(Action callback)
    {
        if (_page is not { } page)
        {
            socket.WhenWritable(callback);
            return;
        }

        Volatile.Write(ref _onWritable, callback);
        if (!page.TryWaitForRoom())
        {
            CallBack();
        }
    }

    public override void Attend(Func<bool> onReadable, Action<Exception> onFault) => socket.Attend(onReadable, onFault);

    public override Task FinishAsync() => socket.FinishAsync();

    public override void End()
    {
        _isOver = true;
        socket.End();
    }

    public override void Dispose() => socket.Dispose();

    private int Take(SharedPage page, Span<byte> buffer)
    {
        var taken = page.Take(buffer, out var isRoomWanted);
        if (isRoomWanted)
        {
            _giveRoom();
        }

        // For space, too, the worker wakes the host's reader, whichever thread that is now.
        if (Volatile.Read(ref _onWritable) is not null && page.HasRoom())
        {
            CallBack();
        }

        return taken;
    }

    private void CallBack()
    {
        if (Interlocked.Exchange(ref _onWritable, null) is { } callback)
        {
            EpollLoop.Shared.Post(callback, failure => _onFault($"sending to it failed: {failure}"));
        }
    }

    // When the kernel has no memory for the byte, try again later. A worker that is gone need not be woken.
    private void Wake()
    {
        if (socket.TrySend(Bell) == 0)
        {
            socket.WhenWritable(Wake);
        }
    }

    // When even that fails, no other code could handle the failure.
    private void Report(FrameException fault) =>
        Callbacks.Queue((_onFault, fault.Message), static fault => fault._onFault(fault.Message), static (_, _) => { });
}
