namespace Weir.Execution.Processes;

/// <summary>What is applied to a worker from outside, right after it was spawned and before it hears HELLO.</summary>
/// <param name="MemoryBytes">RLIMIT_DATA: heap, stacks of threads and private mappings together; <c>null</c> sets no limit.</param>
internal sealed record WorkerLimits(long? MemoryBytes)
{
    public static WorkerLimits None { get; } = new(MemoryBytes: null);
}
