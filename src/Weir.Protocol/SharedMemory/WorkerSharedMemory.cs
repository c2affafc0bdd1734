using System.Runtime.CompilerServices;

namespace Weir.Protocol.Page;

/// <summary>
/// The worker's side of the shared memory: records which calls it has started and when. The rings carry the bytes.
/// </summary>
/// <remarks>
/// One thread starts calls; <see cref="End"/> is called by one thread at a time. Fields that only the worker writes are never read back:
/// the host could have written there too.
/// </remarks>
/// <typeparam name="TAccess">How the memory is accessed.</typeparam>
public sealed unsafe class WorkerPage<TAccess>
    where TAccess : struct, IPageAccess
{
    private readonly byte* _page;
    private readonly TAccess _access;

    // Owned by the thread that ends calls.
    private ulong _done;
    private ulong _busy;

    /// <summary>The shared memory at an address.</summary>
    /// <param name="address">The start of <see cref="PageLayout.Size"/> bytes, aligned to 64; they outlive this.</param>
    /// <param name="access">How it is accessed.</param>
    public WorkerPage(nint address, TAccess access = default)
    {
        _page = (byte*)address;
        _access = access;
    }

    /// <summary>Whether this build knows this version of the layout; memory of another version must not be used.</summary>
    public bool IsKnown =>
        _access.Load(ref Field(PageLayout.Magic)) == PageLayout.MagicValue && _access.Load(ref Field(PageLayout.Version)) == PageLayout.VersionValue;

    /// <summary>Marks the next call as started, unless the host has withdrawn it.</summary>
    /// <param name="callId">The one after the last.</param>
    /// <returns><c>false</c> when the call must be dropped: the host gives it to another worker.</returns>
    public bool TryStart(ulong callId)
    {
        ref var settle = ref Field(PageLayout.Settle);
        while (true)
        {
            // A swap fails if the host has opened a withdrawal in between; that happens once.
            var word = new SettleWord(_access.Load(ref settle));
            var last = word.RecallFirst == 0 ? 0 : _access.Load(ref Field(PageLayout.RecallLast));
            var next = word.Next(callId, last, out var isRecalled);
            if (_access.TrySwap(ref settle, word.Value, next.Value))
            {
                return !isRecalled;
            }
        }
    }

    /// <summary>Records when a call was started, after <see cref="TryStart"/>.</summary>
    /// <param name="callId">The call.</param>
    /// <param name="startedAt">Now, in nanoseconds of CLOCK_MONOTONIC.</param>
    public void NoteStart(ulong callId, ulong startedAt)
    {
        _access.Store(ref Field(PageLayout.StartedAt), startedAt);
        _access.Store(ref Field(PageLayout.StartedCall), callId);
    }

    /// <summary>Counts a call whose outcome was added to the ring up.</summary>
    /// <param name="nanoseconds">How long it took.</param>
    public void End(ulong nanoseconds)
    {
        _access.Store(ref Field(PageLayout.Busy), _busy += nanoseconds);
        _access.Store(ref Field(PageLayout.Done), ++_done);
    }

    private ref ulong Field(int offset) => ref Unsafe.AsRef<ulong>(_page + offset);
}
