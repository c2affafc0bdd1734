namespace Weir.Protocol.Page;

/// <summary>What a worker says about its calls so far.</summary>
/// <param name="Done">Calls that ended.</param>
/// <param name="BusyNanoseconds">What they took together, from start to ending.</param>
public readonly record struct PageTotals(ulong Done, ulong BusyNanoseconds);
