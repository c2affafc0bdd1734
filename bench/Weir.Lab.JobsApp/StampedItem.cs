namespace Weir.Lab.Jobs;

/// <summary>An item that says when it was made.</summary>
/// <param name="Index">Its place in the stream.</param>
/// <param name="At">The clock of the machine.</param>
public sealed record StampedItem(long Index, long At);
