using System.Runtime.InteropServices;
using Weir.Protocol.Frames;
using Weir.Protocol.SharedMemory;

namespace Weir.Execution.Processes;

/// <summary>
/// The memory that one worker shares with its host, while it is mapped. Any thread. After it is unmapped every method returns its
/// neutral value, because a worker that has failed may still be queried.
/// </summary>
internal abstract class SharedMemoryRegion : SafeHandle
{
    private readonly HostSharedMemory<SharedMemoryAccess> _region;

    /// <param name="address">Zeroed memory, which the worker has not seen.</param>
    protected SharedMemoryRegion(nint address)
        : base(0, ownsHandle: true)
    {
        SetHandle(address);
        _region = SharedMemoryAccess.OpenHost(address);
        _region.Format();
    }

    public override bool IsInvalid => handle == 0;

    /// <summary>The last call the worker has started: between <paramref name="atLeast"/>, which it is known to have started, and <paramref name="lastSent"/>.</summary>
    public ulong StartedThrough(ulong atLeast, ulong lastSent)
    {
        if (!TryHold())
        {
            return lastSent;
        }

        var started = _region.StartedThrough(atLeast, lastSent);
        DangerousRelease();
        return started;
    }

    /// <summary>Withdraws the calls that the worker has not started; nothing may be sent to it during this time.</summary>
    /// <returns><c>false</c> when there is nothing to withdraw, or it is not possible now.</returns>
    public bool TryWithdraw(ulong atLeast, ulong lastSent, out ulong first)
    {
        first = 0;
        if (!TryHold())
        {
            return false;
        }

        var withdrawn = _region.TryWithdraw(atLeast, lastSent, out first);
        DangerousRelease();
        return withdrawn;
    }

    /// <summary>When the worker started a call, in nanoseconds of CLOCK_MONOTONIC, as the worker wrote it; 0 when unknown: the worker writes it for its last call only.</summary>
    public ulong StartOf(ulong callId)
    {
        if (!TryHold())
        {
            return 0;
        }

        var started = _region.StartOf(callId);
        DangerousRelease();
        return started;
    }

    /// <summary>The totals of its calls so far, as the worker wrote them.</summary>
    public SharedMemoryTotals ReadTotals()
    {
        if (!TryHold())
        {
            return default;
        }

        var totals = _region.ReadTotals();
        DangerousRelease();
        return totals;
    }

    /// <summary>Adds bytes for the worker to take, as many as fit into the ring. One thread at a time.</summary>
    /// <param name="bytes">The bytes of frames.</param>
    /// <param name="isWoken">Whether the caller must wake the worker: no other code does.</param>
    /// <returns>The number of bytes added; -1 when the worker is gone.</returns>
    /// <exception cref="FrameException">What the worker wrote in the shared memory is invalid.</exception>
    public int Send(ReadOnlySpan<byte> bytes, out bool isWoken)
    {
        isWoken = false;
        if (!TryHold())
        {
            return -1;
        }

        try
        {
            return _region.Send(bytes, out isWoken);
        }
        finally
        {
            DangerousRelease();
        }
    }

    /// <summary>Takes what the worker has sent. One thread at a time.</summary>
    /// <param name="target">Receives the bytes.</param>
    /// <param name="isSpaceWanted">Whether the caller must notify the worker that there is space: no other code does.</param>
    /// <exception cref="FrameException">What the worker wrote in the shared memory is invalid.</exception>
    public int Take(Span<byte> target, out bool isSpaceWanted)
    {
        isSpaceWanted = false;
        if (!TryHold())
        {
            return 0;
        }

        try
        {
            return _region.Take(target, out isSpaceWanted);
        }
        finally
        {
            DangerousRelease();
        }
    }

    /// <summary>Marks the host's reader as asleep.</summary>
    /// <returns><c>false</c> when there is something to take: the reader must not sleep.</returns>
    public bool TrySleep()
    {
        if (!TryHold())
        {
            return true;
        }

        var sleeps = _region.TrySleep();
        DangerousRelease();
        return sleeps;
    }

    /// <summary>Marks the host's sender as waiting for space.</summary>
    /// <returns><c>false</c> when there is space: the sender must not wait.</returns>
    public bool TryWaitForSpace()
    {
        if (!TryHold())
        {
            return true;
        }

        var waits = _region.TryWaitForSpace();
        DangerousRelease();
        return waits;
    }

    /// <summary>Whether there is space again for the sender that waits for it. Any thread.</summary>
    public bool HasSpace()
    {
        if (!TryHold())
        {
            return false;
        }

        var has = _region.HasSpace;
        DangerousRelease();
        return has;
    }

    /// <summary>Whether the worker has sent bytes that the host has not taken. Any thread, as a hint.</summary>
    public bool HasUnread()
    {
        if (!TryHold())
        {
            return false;
        }

        var has = _region.HasUnread;
        DangerousRelease();
        return has;
    }

    /// <summary>Whether the worker has not taken all bytes that were sent to it. Any thread, as a hint.</summary>
    public bool HasUntaken()
    {
        if (!TryHold())
        {
            return false;
        }

        var has = _region.HasUntaken;
        DangerousRelease();
        return has;
    }

    /// <summary>Passes to the reader what the dead worker had finished and did not send.</summary>
    /// <param name="frames">The reader that has the bytes that the worker sent.</param>
    public SalvageOutcome Salvage(FrameReader frames)
    {
        if (!TryHold())
        {
            return SalvageOutcome.Nothing;
        }

        var outcome = _region.Salvage(frames);
        DangerousRelease();
        return outcome;
    }

    private bool TryHold()
    {
        try
        {
            var held = false;
            DangerousAddRef(ref held);
            return held;
        }
        catch (ObjectDisposedException)
        {
            return false;
        }
    }
}
