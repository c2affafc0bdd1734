namespace Weir.AspNetCore.RequestStreams;

/// <summary>What some bytes of a body are to its items.</summary>
/// <param name="Start">Where the part of the current item begins.</param>
/// <param name="Length">Its length.</param>
/// <param name="Consumed">How many bytes are used up, including those around the item; at least one.</param>
/// <param name="IsWhole">Whether the item ends there.</param>
internal readonly record struct ItemPart(int Start, int Length, int Consumed, bool IsWhole);
