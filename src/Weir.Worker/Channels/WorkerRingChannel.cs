using Weir.Protocol.SharedMemory;

namespace Weir.Worker.Channels;

/// <summary>
/// The worker's end of a data channel whose bytes go through the rings of the shared memory, if there is one. A side that finds bytes
/// there needs no system call; the channel itself wakes a side that sleeps, and reports the host's end.
/// </summary>
/// <param name="channel">Wakes, and carries all bytes if there is no shared memory.</param>
internal sealed class WorkerRingChannel(IChannel channel) : IChannel
{
    private static readonly byte[] WakeByte = [1];

    // Set before READY.
    private WorkerSharedMemory<SharedMemoryAccess>? _region;
    private RingReader<SharedMemoryAccess> _down = null!;
    private WaitWord<SharedMemoryAccess> _workerSleeps;
    private WaitWord<SharedMemoryAccess> _hostSleeps;
    private WaitWord<SharedMemoryAccess> _hostWantsSpace;

    /// <summary>From now on the bytes go through the shared memory at an address.</summary>
    /// <returns>The ring up: a thread that adds to it and sends calls <see cref="WakeHost"/>.</returns>
    public RingWriter<SharedMemoryAccess> Share(nint region)
    {
        (var up, _down) = SharedMemoryAccess.OpenWorkerRings(region);
        _workerSleeps = SharedMemoryAccess.OpenWaitWord(region, SharedMemoryLayout.WorkerSleeps);
        _hostSleeps = SharedMemoryAccess.OpenWaitWord(region, SharedMemoryLayout.HostSleeps);
        _hostWantsSpace = SharedMemoryAccess.OpenWaitWord(region, SharedMemoryLayout.HostWantsSpace);
        _region = SharedMemoryAccess.OpenWorker(region);
        return up;
    }

    public bool HasMore => _region is not null && !_down.IsEmpty;

    public int Receive(Span<byte> buffer)
    {
        if (_region is null)
        {
            return channel.Receive(buffer);
        }

        Span<byte> wakeBytes = stackalloc byte[64];
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
            else if (channel.Receive(wakeBytes) == 0)
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
            if (_hostWantsSpace.TryLower())
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
            channel.TrySend(WakeByte);
        }
        catch (ChannelEndedException)
        {
            // The receiving thread finds out.
        }
    }
}
