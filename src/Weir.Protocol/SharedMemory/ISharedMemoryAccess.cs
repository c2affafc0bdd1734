namespace Weir.Protocol.SharedMemory;

/// <summary>
/// Every way in which the shared memory is accessed. <see cref="SharedMemoryAccess"/> is for real memory; another implementation lets a test stop
/// one side between any two of its steps, because that is where processes die and where two of them race.
/// </summary>
internal interface ISharedMemoryAccess
{
    /// <summary>Reads; later reads are not moved before this one.</summary>
    /// <param name="place">An aligned field.</param>
    ulong Load(ref ulong place);

    /// <summary>Writes; a reader that sees this value also sees everything written before it.</summary>
    /// <param name="place">An aligned field.</param>
    /// <param name="value">Its new value.</param>
    void Store(ref ulong place, ulong value);

    /// <summary>Writes if the field has not changed.</summary>
    /// <param name="place">An aligned field.</param>
    /// <param name="expected">What it must hold.</param>
    /// <param name="value">Its new value.</param>
    bool TrySwap(ref ulong place, ulong expected, ulong value);

    /// <summary>Writes before this are visible to others before any read after it is made.</summary>
    void Fence();

    /// <summary>Writes bytes that the other side reads only after a later <see cref="Store"/>.</summary>
    /// <param name="target">In the shared memory.</param>
    /// <param name="bytes">As many as the target holds.</param>
    void Fill(Span<byte> target, ReadOnlySpan<byte> bytes);
}
