namespace Weir.Protocol.Page;

/// <summary>
/// Every way in which a page is touched. There is one for real memory, <see cref="PageAccess"/>; another one lets a test stop a
/// side between any two of its steps, for that is where processes die and where two of them race.
/// </summary>
public interface IPageAccess
{
    /// <summary>Reads; what follows is not read earlier.</summary>
    /// <param name="place">An aligned field.</param>
    ulong Load(ref ulong place);

    /// <summary>Writes; what came before is seen by whoever sees this.</summary>
    /// <param name="place">An aligned field.</param>
    /// <param name="value">Its new value.</param>
    void Store(ref ulong place, ulong value);

    /// <summary>Writes if the field has not changed.</summary>
    /// <param name="place">An aligned field.</param>
    /// <param name="expected">What it must hold.</param>
    /// <param name="value">Its new value.</param>
    bool TrySwap(ref ulong place, ulong expected, ulong value);

    /// <summary>What was written before is seen by others before what follows is read.</summary>
    void Fence();

    /// <summary>Writes bytes nobody looks at before a later <see cref="Store"/>.</summary>
    /// <param name="target">In the page.</param>
    /// <param name="bytes">As many as the target holds.</param>
    void Fill(Span<byte> target, ReadOnlySpan<byte> bytes);
}
