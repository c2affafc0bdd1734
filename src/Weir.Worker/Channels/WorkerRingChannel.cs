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

    // Set before READY, if there is shared memory.
    private RingWriter<SharedMemoryAccess>? _up;
    private RingReader<SharedMemoryAccess>? _down;

    /// <summary>From now on the bytes go through the shared memory at an address.</summary>
    /// <returns>The ring up: a thread that adds to it and sends calls <see cref="WakeHost"/>.</returns>
    public RingWriter<SharedMemoryAccess> Share(nint region)
    {
        (_up, _down) = SharedMemoryAccess.OpenWorkerRings(region);
        return _up;
    }

    public bool HasMore => _down is { IsEmpty: false };

    public int Receive(Span<byte> buffer)
    {
        if (_down is not { } down)
        {
            return channel.Receive(buffer);
        }

        Span<byte> wakeBytes = stackalloc byte[64];
        while (true)
        {
            // 1. Take what is there. The host's reader reports to the thread that waits for space.
            var taken = down.Take(buffer, out var isSpaceWanted);
            if (isSpaceWanted)
            {
                SendWake();
            }

            if (taken > 0)
            {
                return taken;
            }

            // 2. Sleep, unless something has arrived since.
            if (down.TrySleep() && channel.Receive(wakeBytes) == 0)
            {
                return 0;
            }
        }
    }

    /// <summary>Wakes the host's reader, if it sleeps, after bytes were sent through the ring. Never waits.</summary>
    public void WakeHost()
    {
        if (_up!.TryWake())
        {
            SendWake();
        }
    }

    /// <summary>Wakes the host's reader; if it does not sleep, makes it look once more. Never waits.</summary>
    public void WakeHostInAnyCase()
    {
        _ = _up!.TryWake();
        SendWake();
    }

    public void Send(ReadOnlySpan<byte> bytes) => channel.Send(bytes);

    public int TrySend(ReadOnlySpan<byte> bytes) => channel.TrySend(bytes);

    public void EndSending() => channel.EndSending();

    // If there is no space for the byte, earlier ones are still unread and wake the host.
    private void SendWake()
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
