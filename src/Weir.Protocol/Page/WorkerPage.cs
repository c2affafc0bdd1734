using System.Runtime.CompilerServices;

namespace Weir.Protocol;

/// <summary>
/// The worker's side of a page: it says which calls it has started and how far they are. The bytes on their way are
/// those of its rings.
/// </summary>
/// <remarks>One thread starts calls; a slot belongs to one call at a time; <see cref="End"/> is called by one thread at a time. What was written is never read back: the page has two owners.</remarks>
/// <typeparam name="TAccess">How the page is touched.</typeparam>
public sealed unsafe class WorkerPage<TAccess>
    where TAccess : struct, IPageAccess
{
    private readonly byte* _page;
    private readonly TAccess _access;

    // Of the thread that ends calls.
    private ulong _done;
    private ulong _busy;

    /// <summary>The page at an address.</summary>
    /// <param name="address">The start of <see cref="PageLayout.Size"/> bytes, aligned to 64; they outlive this.</param>
    /// <param name="access">How it is touched.</param>
    public WorkerPage(nint address, TAccess access = default)
    {
        _page = (byte*)address;
        _access = access;
    }

    /// <summary>How many slots the host wants to see; 0 when this is no page of a version this build knows: then it must not be used.</summary>
    public int Slots
    {
        get
        {
            var head = _access.Load(ref Field(PageLayout.Version));
            var isKnown = _access.Load(ref Field(PageLayout.Magic)) == PageLayout.MagicValue && (uint)head == PageLayout.VersionValue;
            return isKnown ? (int)Math.Min(head >> 32, PageLayout.MostSlots) : 0;
        }
    }

    /// <summary>Comes to the next call: from now on it counts as started, unless the host has taken it back.</summary>
    /// <param name="callId">The one after the last.</param>
    /// <returns><c>false</c> when the call must be dropped: the host gives it to another worker.</returns>
    public bool TryStart(ulong callId)
    {
        ref var settle = ref Field(PageLayout.Settle);
        while (true)
        {
            // A swap fails when the host has opened a recall meanwhile; that happens once.
            var word = new SettleWord(_access.Load(ref settle));
            var last = word.RecallFirst == 0 ? 0 : _access.Load(ref Field(PageLayout.RecallLast));
            var next = word.Next(callId, last, out var isRecalled);
            if (_access.TrySwap(ref settle, word.Value, next.Value))
            {
                return !isRecalled;
            }
        }
    }

    /// <summary>Gives a slot to a call that was started.</summary>
    /// <param name="slot">Below <see cref="Slots"/>.</param>
    /// <param name="callId">The call.</param>
    /// <param name="startedAt">Now, in nanoseconds of CLOCK_MONOTONIC.</param>
    public void Begin(int slot, ulong callId, ulong startedAt)
    {
        var place = Slot(slot);
        _access.Store(ref Field(place + PageLayout.SlotItems), 0);
        _access.Store(ref Field(place + PageLayout.SlotPhase), (ulong)SlotPhase.Bind);
        _access.Store(ref Field(place + PageLayout.SlotStarted), startedAt);
        _access.Store(ref Field(place + PageLayout.SlotCall), callId);
    }

    /// <summary>Says how far the call of a slot is.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="phase">Not <see cref="SlotPhase.Free"/>.</param>
    public void Enter(int slot, SlotPhase phase) => _access.Store(ref Field(Slot(slot) + PageLayout.SlotPhase), (ulong)phase);

    /// <summary>Says how many items the call of a slot has sent.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="items">So many.</param>
    public void Count(int slot, ulong items) => _access.Store(ref Field(Slot(slot) + PageLayout.SlotItems), items);

    /// <summary>The call of a slot has its ending in the ring up.</summary>
    /// <param name="slot">The slot; -1 when the call had none.</param>
    /// <param name="nanoseconds">How long it took.</param>
    public void End(int slot, ulong nanoseconds)
    {
        if (slot >= 0)
        {
            _access.Store(ref Field(Slot(slot) + PageLayout.SlotPhase), (ulong)SlotPhase.Free);
        }

        _access.Store(ref Field(PageLayout.Busy), _busy += nanoseconds);
        _access.Store(ref Field(PageLayout.Done), ++_done);
    }

    private static int Slot(int slot)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)slot, (uint)PageLayout.MostSlots);
        return PageLayout.FirstSlot + (slot * PageLayout.SlotSize);
    }

    private ref ulong Field(int offset) => ref Unsafe.AsRef<ulong>(_page + offset);
}
