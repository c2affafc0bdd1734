using System.Runtime.CompilerServices;

namespace Weir.Protocol.SharedMemory;

/// <summary>
/// The worker's side of the shared memory: records which calls it has started and when. The rings carry the bytes.
/// </summary>
/// <remarks>
/// One thread starts calls; <see cref="End"/> is called by one thread at a time. Fields that only the worker writes are never read back:
/// the host could have written there too.
/// </remarks>
/// <typeparam name="TAccess">How the memory is accessed.</typeparam>
internal sealed unsafe class WorkerSharedMemory<TAccess>
    where TAccess : struct, ISharedMemoryAccess
{
    private readonly byte* _region;
    private readonly TAccess _access;

    // Owned by the thread that ends calls.
    private ulong _done;
    private ulong _busy;

    /// <summary>The shared memory at an address.</summary>
    /// <param name="address">The start of <see cref="SharedMemoryLayout.Size"/> bytes, aligned to 64; they outlive this.</param>
    /// <param name="access">How it is accessed.</param>
    public WorkerSharedMemory(nint address, TAccess access = default)
    {
        _region = (byte*)address;
        _access = access;
    }

    /// <summary>Whether this build knows this version of the layout; memory of another version must not be used.</summary>
    public bool IsKnown =>
        _access.Load(ref Field(SharedMemoryLayout.Magic)) == SharedMemoryLayout.MagicValue && _access.Load(ref Field(SharedMemoryLayout.Version)) == SharedMemoryLayout.VersionValue;

    /// <summary>Marks the next call as started, unless the host has withdrawn it.</summary>
    /// <param name="callId">The one after the last.</param>
    /// <returns><c>false</c> when the call must be dropped: the host gives it to another worker.</returns>
    public bool TryStart(ulong callId)
    {
        ref var claim = ref Field(SharedMemoryLayout.Claim);
        while (true)
        {
            // A swap fails if the host has opened a withdrawal in between; that happens once.
            var word = new ClaimWord(_access.Load(ref claim));
            var last = word.WithdrawnFirst == 0 ? 0 : _access.Load(ref Field(SharedMemoryLayout.WithdrawnLast));
            var next = word.Next(callId, last, out var isWithdrawn);
            if (_access.TrySwap(ref claim, word.Value, next.Value))
            {
                return !isWithdrawn;
            }
        }
    }

    /// <summary>Records when a call was started, after <see cref="TryStart"/>.</summary>
    /// <param name="callId">The call.</param>
    /// <param name="startedAt">Now, in nanoseconds of CLOCK_MONOTONIC.</param>
    public void NoteStart(ulong callId, ulong startedAt)
    {
        _access.Store(ref Field(SharedMemoryLayout.StartedAt), startedAt);
        _access.Store(ref Field(SharedMemoryLayout.StartedCall), callId);
    }

    /// <summary>Counts a call whose outcome was added to the ring up.</summary>
    /// <param name="nanoseconds">How long it took.</param>
    public void End(ulong nanoseconds)
    {
        _access.Store(ref Field(SharedMemoryLayout.Busy), _busy += nanoseconds);
        _access.Store(ref Field(SharedMemoryLayout.Done), ++_done);
    }

    private ref ulong Field(int offset) => ref Unsafe.AsRef<ulong>(_region + offset);
}
