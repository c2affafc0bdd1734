namespace Weir.Protocol.SharedMemory;

/// <summary>Accesses real memory.</summary>
/// <remarks>
/// The types for real memory are created here and not where they are used: a precompiled image holds the code of the generic types that
/// its own assembly creates. A worker would otherwise compile it before READY, and at its first call.
/// </remarks>
internal readonly struct SharedMemoryAccess : ISharedMemoryAccess
{
    /// <summary>The worker's side of the shared memory.</summary>
    /// <param name="address">As for <see cref="WorkerSharedMemory{TAccess}"/>.</param>
    public static WorkerSharedMemory<SharedMemoryAccess> OpenWorker(nint address) => new(address);

    /// <summary>The worker's ends of the rings of the shared memory.</summary>
    /// <param name="address">As for <see cref="WorkerSharedMemory{TAccess}"/>.</param>
    public static (RingWriter<SharedMemoryAccess> Up, RingReader<SharedMemoryAccess> Down) OpenWorkerRings(nint address) =>
        (new(address, SharedMemoryLayout.Up), new(address, SharedMemoryLayout.Down));

    /// <summary>The host's side of the shared memory.</summary>
    /// <param name="address">As for <see cref="HostSharedMemory{TAccess}"/>.</param>
    public static HostSharedMemory<SharedMemoryAccess> OpenHost(nint address) => new(address);

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
