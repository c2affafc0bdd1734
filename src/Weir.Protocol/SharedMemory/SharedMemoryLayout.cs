namespace Weir.Protocol.SharedMemory;

/// <summary>
/// The layout of the memory that host and worker share, in bytes from its start. All fields are little-endian and
/// are at multiples of their size; fields that different sides write never share 64 bytes, except <see cref="Claim"/> and the
/// words by which they wake each other.
/// </summary>
/// <remarks>
/// <code>
///         0  the host writes     magic, version | withdrawn last | down sent | up taken
///     4,096  both write          claim
///     4,160  the worker writes   up committed | up sent | down taken | done, busy
///     4,416  both write          what the worker waits for | what the host waits for
///     4,544  the worker writes   the call that was started last, and when
///     8,192  the worker writes   the ring up, 1 MB
/// 1,056,768  the host writes     the ring down, 1 MB
/// 2,105,344
/// </code>
/// </remarks>
internal static class SharedMemoryLayout
{
    /// <summary>The size in bytes: 2 MB and 8 KB. Memory that was never touched costs nothing, and rings stay at their start where they can.</summary>
    public const int Size = DownBuffer + RingSize;

    /// <summary>u64: <see cref="MagicValue"/>.</summary>
    public const int Magic = 0;

    /// <summary>u64: the version of this layout, <see cref="VersionValue"/>.</summary>
    public const int Version = 8;

    /// <summary>u64: the last id of the open withdrawal; has no meaning while none is open.</summary>
    public const int WithdrawnLast = 64;

    /// <summary>u64: the bytes the host has sent.</summary>
    public const int DownSent = 192;

    /// <summary>u64: how many bytes were added before the one at the start of the buffer of the ring down.</summary>
    public const int DownOrigin = DownSent + 8;

    /// <summary>u64: the bytes the host has taken.</summary>
    public const int UpTaken = 256;

    /// <summary>u64, swapped by both sides: see <see cref="ClaimWord"/>.</summary>
    public const int Claim = 4096;

    /// <summary>u64: the bytes the worker has added, which outlive it.</summary>
    public const int UpCommitted = Claim + 64;

    /// <summary>u64: how many of the added bytes the host is to take now.</summary>
    public const int UpSent = Claim + 128;

    /// <summary>u64: how many bytes were added before the one at the start of the buffer of the ring up.</summary>
    public const int UpOrigin = UpCommitted + 8;

    /// <summary>u64: the bytes the worker has taken.</summary>
    public const int DownTaken = Claim + 192;

    /// <summary>u64: calls that ended.</summary>
    public const int Done = Claim + 256;

    /// <summary>u64: nanoseconds those calls took together, from start to completion.</summary>
    public const int Busy = Done + 8;

    /// <summary>u64: 1 while the worker sleeps, see <see cref="WaitWord{TAccess}"/>.</summary>
    public const int WorkerSleeps = Claim + 320;

    /// <summary>u64: 1 while the worker waits for space in the ring up.</summary>
    public const int WorkerWantsSpace = WorkerSleeps + 8;

    /// <summary>u64: 1 while the host's reader sleeps.</summary>
    public const int HostSleeps = Claim + 384;

    /// <summary>u64: 1 while the host waits for space in the ring down.</summary>
    public const int HostWantsSpace = HostSleeps + 8;

    /// <summary>u64: the call that was started last; <see cref="StartedAt"/> is written before it.</summary>
    public const int StartedCall = Claim + 448;

    /// <summary>u64: when that call was started, in nanoseconds of CLOCK_MONOTONIC.</summary>
    public const int StartedAt = StartedCall + 8;

    /// <summary>Where the bytes of the ring up start.</summary>
    public const int UpBuffer = 8192;

    /// <summary>Where the bytes of the ring down start.</summary>
    public const int DownBuffer = UpBuffer + RingSize;

    /// <summary>The bytes of a ring: 1 MB, so that a host that sends as much need not wait for a worker that is about to read it.</summary>
    public const int RingSize = 1024 << 10;

    /// <summary>The bytes <c>WeirRing</c>.</summary>
    public const ulong MagicValue = 0x676e_6952_7269_6557;

    /// <summary>The version of this layout.</summary>
    public const ulong VersionValue = 3;

    /// <summary>The ring from worker to host. The host sees added bytes when they are sent, or when the worker is dead.</summary>
    public static RingPlaces Up => new(UpBuffer, UpCommitted, UpSent, UpOrigin, UpTaken, HostSleeps, WorkerWantsSpace);

    /// <summary>The ring from host to worker. Added bytes count as sent at once.</summary>
    public static RingPlaces Down => new(DownBuffer, DownSent, DownSent, DownOrigin, DownTaken, WorkerSleeps, HostWantsSpace);
}
