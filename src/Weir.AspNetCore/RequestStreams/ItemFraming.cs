namespace Weir.AspNetCore.RequestStreams;

/// <summary>
/// Finds where items begin and end in a body that arrives in pieces, looking at each byte once. What stands between is not
/// judged: an item that is not JSON is found out when it is read. Of one request; not for concurrent use.
/// </summary>
internal abstract class ItemFraming
{
    /// <summary>Whether an item of nothing but white space is none.</summary>
    internal abstract bool PassesOverBlank { get; }

    /// <summary>What the body must be, for faults.</summary>
    internal abstract string Expected { get; }

    /// <summary>Looks at the next bytes, at the first item in them at most.</summary>
    /// <param name="bytes">Not empty.</param>
    /// <param name="part">What they are.</param>
    /// <returns><c>false</c> when they cannot stand there.</returns>
    internal abstract bool TryScan(ReadOnlySpan<byte> bytes, out ItemPart part);

    /// <summary>The body has ended.</summary>
    /// <param name="isWhole">Whether that ends an item that has begun.</param>
    /// <returns><c>false</c> when it must not end there.</returns>
    internal abstract bool TryEnd(out bool isWhole);
}
