using System.Runtime.InteropServices;
using Weir.Protocol.Frames;
using Weir.Protocol.Page;

namespace Weir.Execution.Processes;

/// <summary>
/// The page one worker shares with its host, as long as it is mapped. Any thread; who comes after the end finds a page that says
/// nothing, for it may be asked about a worker that is being buried.
/// </summary>
internal abstract class SharedPage : SafeHandle
{
    private readonly HostPage<PageAccess> _page;

    /// <param name="address">Zeroed memory, which the worker has not seen.</param>
    protected SharedPage(nint address)
        : base(0, ownsHandle: true)
    {
        SetHandle(address);
        _page = PageAccess.OpenHostPage(address);
        _page.Format();
    }

    public override bool IsInvalid => handle == 0;

    /// <summary>The last call the worker has started: from <paramref name="atLeast"/>, which it is known to have, to <paramref name="lastSent"/>.</summary>
    public ulong StartedThrough(ulong atLeast, ulong lastSent)
    {
        if (!TryHold())
        {
            return lastSent;
        }

        var started = _page.StartedThrough(atLeast, lastSent);
        DangerousRelease();
        return started;
    }

    /// <summary>Takes back what the worker has not started; nothing may be sent to it meanwhile.</summary>
    /// <returns><c>false</c> when there is nothing to take, or not now.</returns>
    public bool TryRecall(ulong atLeast, ulong lastSent, out ulong first)
    {
        first = 0;
        if (!TryHold())
        {
            return false;
        }

        var recalled = _page.TryRecall(atLeast, lastSent, out first);
        DangerousRelease();
        return recalled;
    }

    /// <summary>When the worker says it started a call, in nanoseconds of CLOCK_MONOTONIC; 0 when it says nothing of it: it says so of the last one only.</summary>
    public ulong StartOf(ulong callId)
    {
        if (!TryHold())
        {
            return 0;
        }

        var started = _page.StartOf(callId);
        DangerousRelease();
        return started;
    }

    /// <summary>What the worker says about its calls so far.</summary>
    public PageTotals ReadTotals()
    {
        if (!TryHold())
        {
            return default;
        }

        var totals = _page.ReadTotals();
        DangerousRelease();
        return totals;
    }

    /// <summary>Adds bytes for the worker to take, as many as there is room for. One thread at a time.</summary>
    /// <param name="bytes">Of frames.</param>
    /// <param name="isWoken">Whether the worker is to be woken: nobody else does.</param>
    /// <returns>How many; -1 when the worker is gone.</returns>
    /// <exception cref="FrameException">The worker's words cannot be.</exception>
    public int Send(ReadOnlySpan<byte> bytes, out bool isWoken)
    {
        isWoken = false;
        if (!TryHold())
        {
            return -1;
        }

        try
        {
            return _page.Send(bytes, out isWoken);
        }
        finally
        {
            DangerousRelease();
        }
    }

    /// <summary>Takes what the worker has sent. One thread at a time.</summary>
    /// <param name="target">Where to.</param>
    /// <param name="isRoomWanted">Whether the worker is to be told that there is room: nobody else does.</param>
    /// <exception cref="FrameException">The worker's words cannot be.</exception>
    public int Take(Span<byte> target, out bool isRoomWanted)
    {
        isRoomWanted = false;
        if (!TryHold())
        {
            return 0;
        }

        try
        {
            return _page.Take(target, out isRoomWanted);
        }
        finally
        {
            DangerousRelease();
        }
    }

    /// <summary>Whoever reads sleeps from now on.</summary>
    /// <returns><c>false</c> when there is something to take.</returns>
    public bool TrySleep()
    {
        if (!TryHold())
        {
            return true;
        }

        var sleeps = _page.TrySleep();
        DangerousRelease();
        return sleeps;
    }

    /// <summary>Whoever sends waits for room from now on.</summary>
    /// <returns><c>false</c> when there is some.</returns>
    public bool TryWaitForRoom()
    {
        if (!TryHold())
        {
            return true;
        }

        var waits = _page.TryWaitForRoom();
        DangerousRelease();
        return waits;
    }

    /// <summary>Whether there is room again for who waits for it. Any thread.</summary>
    public bool HasRoom()
    {
        if (!TryHold())
        {
            return false;
        }

        var has = _page.HasRoom;
        DangerousRelease();
        return has;
    }

    /// <summary>Whether the worker has sent what was not taken. Any thread, as a hint.</summary>
    public bool HasUnread()
    {
        if (!TryHold())
        {
            return false;
        }

        var has = _page.HasUnread;
        DangerousRelease();
        return has;
    }

    /// <summary>Whether the worker has not taken all that was sent to it. Any thread, as a hint.</summary>
    public bool HasUntaken()
    {
        if (!TryHold())
        {
            return false;
        }

        var has = _page.HasUntaken;
        DangerousRelease();
        return has;
    }

    /// <summary>Gives the reader what the dead worker had finished and did not send.</summary>
    /// <param name="frames">The reader that has what it sent.</param>
    public SalvageOutcome Salvage(FrameReader frames)
    {
        if (!TryHold())
        {
            return SalvageOutcome.Nothing;
        }

        var outcome = _page.Salvage(frames);
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
