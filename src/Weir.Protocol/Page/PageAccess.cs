namespace Weir.Protocol;

/// <summary>Touches real memory.</summary>
public readonly struct PageAccess : IPageAccess
{
    /// <inheritdoc/>
    public ulong Load(ref ulong place) => Volatile.Read(ref place);

    /// <inheritdoc/>
    public void Store(ref ulong place, ulong value) => Volatile.Write(ref place, value);

    /// <inheritdoc/>
    public bool TrySwap(ref ulong place, ulong expected, ulong value) => Interlocked.CompareExchange(ref place, value, expected) == expected;

    /// <inheritdoc/>
    public void Fill(Span<byte> target, ReadOnlySpan<byte> bytes) => bytes.CopyTo(target);
}
