namespace Weir.Protocol;

/// <summary>
/// Where everything lies in the page that host and worker share, in bytes from its start. All fields are little-endian and
/// lie at multiples of their size; fields that different sides write never share 64 bytes, except <see cref="Settle"/>.
/// </summary>
/// <remarks>
/// <code>
///      0  the host writes     magic, version, slots | recall last | spin
///  4,096  the worker writes   settle | base, committed | done, busy | slots of 64 bytes
///  8,192  the worker writes   the outbound buffer, 64 KB
/// 73,728
/// </code>
/// </remarks>
public static class PageLayout
{
    /// <summary>The bytes of a page: 72 KB. Pages of memory that were never touched cost nothing.</summary>
    public const int Size = Buffer + BufferSize;

    /// <summary>u64: <see cref="MagicValue"/>.</summary>
    public const int Magic = 0;

    /// <summary>u32: the version of this layout, <see cref="VersionValue"/>; above it u32: how many slots the worker may use.</summary>
    public const int Version = 8;

    /// <summary>u64: the last id of the recall that is open; means nothing while none is.</summary>
    public const int RecallLast = 64;

    /// <summary>u64: 1 while the worker may poll for its next frame instead of sleeping, otherwise 0.</summary>
    public const int Spin = 128;

    /// <summary>u64, swapped by both sides: see <see cref="SettleWord"/>.</summary>
    public const int Settle = 4096;

    /// <summary>u64: the offset in the stream of the first byte of the outbound buffer.</summary>
    public const int Base = Settle + 64;

    /// <summary>u64: the offset in the stream behind the last byte of the outbound buffer that is part of a whole frame.</summary>
    public const int Committed = Base + 8;

    /// <summary>u64: calls that ended.</summary>
    public const int Done = Settle + 128;

    /// <summary>u64: nanoseconds those calls took together, from start to ending.</summary>
    public const int Busy = Done + 8;

    /// <summary>The first slot.</summary>
    public const int FirstSlot = Settle + 192;

    /// <summary>The bytes of a slot.</summary>
    public const int SlotSize = 64;

    /// <summary>u64 in a slot: the call it is about; the rest of the slot is written before it.</summary>
    public const int SlotCall = 0;

    /// <summary>u64 in a slot: items the call has sent.</summary>
    public const int SlotItems = 8;

    /// <summary>u64 in a slot: a <see cref="SlotPhase"/>.</summary>
    public const int SlotPhase = 16;

    /// <summary>u64 in a slot: when the call was started, in nanoseconds of CLOCK_MONOTONIC.</summary>
    public const int SlotStarted = 24;

    /// <summary>The most slots there is room for; more calls may run at a time than have one.</summary>
    public const int MostSlots = (Buffer - FirstSlot) / SlotSize;

    /// <summary>Where the outbound buffer starts.</summary>
    public const int Buffer = 8192;

    /// <summary>The bytes of the outbound buffer: 64 KB, a socket's worth.</summary>
    public const int BufferSize = 64 << 10;

    /// <summary>The bytes <c>WeirPage</c>.</summary>
    public const ulong MagicValue = 0x6567_6150_7269_6557;

    /// <summary>The version of this layout.</summary>
    public const uint VersionValue = 1;
}
