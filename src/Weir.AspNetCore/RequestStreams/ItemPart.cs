namespace Weir.AspNetCore.RequestStreams;

/// <summary>What some bytes of a body are to its items.</summary>
/// <param name="Start">Where what belongs to the current item begins.</param>
/// <param name="Length">How long that is.</param>
/// <param name="Consumed">How many bytes are done with, those around the item too; at least one.</param>
/// <param name="IsWhole">Whether the item ends there.</param>
internal readonly record struct ItemPart(int Start, int Length, int Consumed, bool IsWhole);
