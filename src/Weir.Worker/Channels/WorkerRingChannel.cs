using Weir.Protocol.Page;

namespace Weir.Worker.Channels;

/// <summary>
/// The worker's end of a data channel whose bytes go through the rings of the shared memory, if there is one. A side that finds bytes
/// there needs no system call; the channel itself wakes a side that sleeps, and reports the host's end.
/// </summary>
/// <param name="channel">Wakes, and carries all bytes if there is no shared memory.</param>
internal sealed class WorkerRingChannel(IChannel channel) : IChannel
{
    private static readonly byte[] Bell = [1];

    // Set before READY.
    private WorkerPage<PageAccess>? _page;
    private RingReader<PageAccess> _down = null!;
    private WaitWord<PageAccess> _workerSleeps;
    private WaitWord<PageAccess> _hostSleeps;
    private WaitWord<PageAccess> _hostWantsRoom;

    /// <summary>From now on the bytes go through the shared memory at an address.</summary>
    /// <returns>The ring up: a thread that adds to it and sends calls <see cref="WakeHost"/>.</returns>
    public RingWriter<PageAccess> Share(nint page)
    {
        (var up, _down) = PageAccess.OpenWorkerRings(page);
        _workerSleeps = PageAccess.OpenWaitWord(page, PageLayout.WorkerSleeps);
        _hostSleeps = PageAccess.OpenWaitWord(page, PageLayout.HostSleeps);
        _hostWantsRoom = PageAccess.OpenWaitWord(page, PageLayout.HostWantsRoom);
        _page = PageAccess.OpenWorkerPage(page);
        return up;
    }

    public bool HasMore => _page is not null && !_down.IsEmpty;

    public int Receive(Span<byte> buffer)
    {
        if (_page is null)
        {
            return channel.Receive(buffer);
        }

        Span<byte> bells = stackalloc byte[64];
        while (true)
        {
            if (Take(buffer) is > 0 and var taken)
            {
                return taken;
            }

            _workerSleeps.Raise();
            if (!_down.IsEmpty)
            {
                _workerSleeps.TryLower();
            }
            else if (channel.Receive(bells) == 0)
            {
                return 0;
            }
        }
    }

    /// <summary>Wakes the host's reader, if it sleeps, after bytes were sent through the ring. Never waits.</summary>
    public void WakeHost()
    {
        if (_hostSleeps.TryLower())
        {
            Ring();
        }
    }

    /// <summary>Wakes the host's reader; if it does not sleep, makes it look once more. Never waits.</summary>
    public void WakeHostInAnyCase()
    {
        _hostSleeps.TryLower();
        Ring();
    }

    public void Send(ReadOnlySpan<byte> bytes) => channel.Send(bytes);

    public int TrySend(ReadOnlySpan<byte> bytes) => channel.TrySend(bytes);

    public void EndSending() => channel.EndSending();

    private int Take(Span<byte> buffer)
    {
        var taken = _down.Take(buffer);
        if (taken > 0)
        {
            Interlocked.MemoryBarrier();
            if (_hostWantsRoom.TryLower())
            {
                Ring();
            }
        }

        return taken;
    }

    // If there is no space for the byte, earlier ones are still unread and wake the host.
    private void Ring()
    {
        try
        {
            channel.TrySend(Bell);
        }
        catch (ChannelEndedException)
        {
            // The receiving thread finds out.
        }
    }
}
