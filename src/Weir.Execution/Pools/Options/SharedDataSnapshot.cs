namespace Weir;

/// <summary>Data that workers share, at one moment.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Bytes">How many bytes it has. They count once, not for each worker.</param>
/// <param name="Generation">Which reading of its source it is, from 1; each reload reads it again.</param>
public sealed record SharedDataSnapshot(string Name, long Bytes, long Generation);
