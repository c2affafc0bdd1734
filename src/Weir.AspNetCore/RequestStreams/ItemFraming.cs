namespace Weir.AspNetCore.RequestStreams;

/// <summary>
/// Finds where items begin and end in a body that arrives in pieces, reading each byte once. What is between is not
/// validated: an item that is not JSON is found when it is read. Of one request; not for concurrent use.
/// </summary>
internal abstract class ItemFraming
{
    /// <summary>Whether an item of only white space is skipped.</summary>
    internal abstract bool PassesOverBlank { get; }

    /// <summary>What the body must be, for binding errors.</summary>
    internal abstract string Expected { get; }

    /// <summary>Reads the next bytes, at most to the end of the first item in them.</summary>
    /// <param name="bytes">Not empty.</param>
    /// <param name="part">What they are.</param>
    /// <returns><c>false</c> when they are not allowed there.</returns>
    internal abstract bool TryScan(ReadOnlySpan<byte> bytes, out ItemPart part);

    /// <summary>The body has ended.</summary>
    /// <param name="isWhole">Whether that ends an item that has begun.</param>
    /// <returns><c>false</c> when it must not end there.</returns>
    internal abstract bool TryEnd(out bool isWhole);
}
