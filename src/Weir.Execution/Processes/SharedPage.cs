using System.Runtime.InteropServices;
using Weir.Protocol;

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
        _page.Format(slots: 1);
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

    /// <summary>When the worker says it started a call, in nanoseconds of CLOCK_MONOTONIC; 0 when it says nothing of it.</summary>
    public ulong StartOf(ulong callId)
    {
        if (!TryHold())
        {
            return 0;
        }

        var slot = _page.ReadSlot(0);
        DangerousRelease();
        return slot.CallId == callId ? slot.StartedAt : 0;
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

    /// <summary>Lets the worker poll for its next frame instead of sleeping, or not.</summary>
    public void AllowSpin(bool isAllowed)
    {
        if (TryHold())
        {
            _page.AllowSpin(isAllowed);
            DangerousRelease();
        }
    }

    /// <summary>Gives the reader of the channel what the dead worker had finished and the channel did not deliver.</summary>
    /// <param name="received">The bytes the channel did deliver.</param>
    /// <param name="frames">The reader that has them.</param>
    public SalvageOutcome Salvage(ulong received, FrameReader frames)
    {
        if (!TryHold())
        {
            return SalvageOutcome.Nothing;
        }

        var outcome = _page.Salvage(received, frames);
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
