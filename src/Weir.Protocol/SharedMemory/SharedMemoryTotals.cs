namespace Weir.Protocol.SharedMemory;

/// <summary>What a worker reports about its calls so far.</summary>
/// <param name="Done">Calls that ended.</param>
/// <param name="BusyNanoseconds">How long they took together, from start to completion.</param>
internal readonly record struct SharedMemoryTotals(ulong Done, ulong BusyNanoseconds);
