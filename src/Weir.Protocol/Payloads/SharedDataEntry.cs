namespace Weir.Protocol.Payloads;

/// <summary>One entry of the list of shared data in HELLO.</summary>
/// <param name="Name">The name that operations use.</param>
/// <param name="Length">How many bytes it has.</param>
/// <param name="Generation">Which reading of its source it is; greater for a later one.</param>
/// <param name="Path">The file to map; empty for an inherited descriptor, the first of them on 6.</param>
internal readonly record struct SharedDataEntry(string Name, long Length, long Generation, string Path);
