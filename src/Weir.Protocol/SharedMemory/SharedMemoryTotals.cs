namespace Weir.Protocol.Page;

/// <summary>What a worker reports about its calls so far.</summary>
/// <param name="Done">Calls that ended.</param>
/// <param name="BusyNanoseconds">How long they took together, from start to completion.</param>
public readonly record struct PageTotals(ulong Done, ulong BusyNanoseconds);
