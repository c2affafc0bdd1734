using Weir.Execution.Machine;

namespace Weir.Execution.Observation.Records;

/// <summary>The process of the application.</summary>
/// <param name="Processors">The processors that it may use.</param>
/// <param name="MemoryBytes">The memory that it holds.</param>
/// <param name="HeapBytes">What of that is the managed heap, after the last collection.</param>
/// <param name="PausePercent">The part of its time for which collections have stopped it.</param>
/// <param name="PoolThreads">The threads of the thread pool.</param>
/// <param name="PoolQueued">What waits for one of them.</param>
/// <param name="Lane">The lane; <c>null</c> where no operation runs on it.</param>
internal sealed record HostDetail(int Processors, long MemoryBytes, long HeapBytes, double PausePercent, int PoolThreads, long PoolQueued, PoolRow? Lane)
{
    /// <summary>The sockets of the machine; <c>null</c> where the operating system does not say it.</summary>
    public required SocketCounts? Sockets { get; init; }

    /// <summary>What the machine has left for workers.</summary>
    public required IReadOnlyList<MachineFinding> Resources { get; init; }
}
