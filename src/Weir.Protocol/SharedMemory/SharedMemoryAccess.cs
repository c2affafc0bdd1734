namespace Weir.Protocol.Page;

/// <summary>Accesses real memory.</summary>
/// <remarks>
/// The types for real memory are created here and not where they are used: a precompiled image holds the code of the generic types that
/// its own assembly creates. A worker would otherwise compile it before READY, and at its first call.
/// </remarks>
public readonly struct PageAccess : IPageAccess
{
    /// <summary>The worker's side of the shared memory.</summary>
    /// <param name="address">As for <see cref="WorkerPage{TAccess}"/>.</param>
    public static WorkerPage<PageAccess> OpenWorkerPage(nint address) => new(address);

    /// <summary>The worker's ends of the rings of the shared memory.</summary>
    /// <param name="address">As for <see cref="WorkerPage{TAccess}"/>.</param>
    public static (RingWriter<PageAccess> Up, RingReader<PageAccess> Down) OpenWorkerRings(nint address) =>
        (new(address, PageLayout.Up), new(address, PageLayout.Down));

    /// <summary>A word by which one side waits for the other.</summary>
    /// <param name="address">As for <see cref="WorkerPage{TAccess}"/>.</param>
    /// <param name="place">Its offset.</param>
    public static WaitWord<PageAccess> OpenWaitWord(nint address, int place) => new(address, place);

    /// <summary>The host's side of the shared memory.</summary>
    /// <param name="address">As for <see cref="HostPage{TAccess}"/>.</param>
    public static HostPage<PageAccess> OpenHostPage(nint address) => new(address);

    /// <inheritdoc/>
    public ulong Load(ref ulong place) => Volatile.Read(ref place);

    /// <inheritdoc/>
    public void Store(ref ulong place, ulong value) => Volatile.Write(ref place, value);

    /// <inheritdoc/>
    public bool TrySwap(ref ulong place, ulong expected, ulong value) => Interlocked.CompareExchange(ref place, value, expected) == expected;

    /// <inheritdoc/>
    public void Fence() => Interlocked.MemoryBarrier();

    /// <inheritdoc/>
    public void Fill(Span<byte> target, ReadOnlySpan<byte> bytes) => bytes.CopyTo(target);
}
