namespace Weir.Execution.Processes;

/// <summary>The memory of a worker as its limits count it, in bytes.</summary>
/// <param name="Private">What belongs to it alone, resident or swapped out.</param>
/// <param name="Data">Its heap, native allocations and private mappings together, also where nothing was written to them yet: what RLIMIT_DATA bounds.</param>
internal readonly record struct MemoryUse(long Private, long Data);
