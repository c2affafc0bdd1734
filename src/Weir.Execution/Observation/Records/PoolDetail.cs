namespace Weir.Execution.Observation.Records;

/// <summary>One pool alone, or the lane, which has nothing but its row.</summary>
/// <param name="Row">What a list shows of it.</param>
/// <param name="Snapshot">Its state; <c>null</c> for the lane, and for a pool that runs in the host.</param>
/// <param name="Workers">Its workers.</param>
/// <param name="Options">Its options as they are in effect, by name.</param>
/// <param name="Events">What happened to its workers and is still kept, the oldest first.</param>
internal sealed record PoolDetail(
    PoolRow Row, PoolSnapshot? Snapshot, IReadOnlyList<WorkerDetail> Workers, IReadOnlyList<(string Name, string Value)> Options, IReadOnlyList<WorkerEvent> Events);
