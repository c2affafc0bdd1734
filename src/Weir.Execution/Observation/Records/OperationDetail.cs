namespace Weir.Execution.Observation.Records;

/// <summary>One operation alone.</summary>
/// <param name="Minute">Its calls of the last minute.</param>
/// <param name="FiveMinutes">Its calls of the last five minutes.</param>
/// <param name="Failures">How many calls failed since recording began, by status; only those that occurred.</param>
/// <param name="Slowest">The slowest calls of the last hour, the slowest first.</param>
/// <param name="LastFailed">The last failed calls, the newest first.</param>
internal sealed record OperationDetail(
    OperationRow Minute, OperationRow FiveMinutes, IReadOnlyList<(CallStatus Status, long Calls)> Failures, IReadOnlyList<KeptCall> Slowest, IReadOnlyList<KeptCall> LastFailed);
