namespace Weir.Execution.Observation.Records;

/// <summary>One worker of a pool.</summary>
/// <param name="Snapshot">Its state.</param>
/// <param name="Started">When it was spawned; <c>null</c> where that is no longer kept.</param>
/// <param name="MemoryBytes">The memory that it holds now, in bytes; <c>null</c> where the operating system does not tell.</param>
/// <param name="Calls">The calls that it has.</param>
internal sealed record WorkerDetail(WorkerSnapshot Snapshot, WorkerEvent? Started, long? MemoryBytes, IReadOnlyList<RunningCallReading> Calls);
