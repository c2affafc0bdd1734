namespace Weir.Execution.Observation.Records;

/// <summary>One operation in a list: its calls of the last minute.</summary>
/// <param name="Operation">The operation.</param>
/// <param name="Calls">Calls that ended.</param>
/// <param name="Failed">Those of them that did not succeed.</param>
/// <param name="P50">The median, in seconds; <c>null</c> without a timed call.</param>
/// <param name="P95">The 95th percentile.</param>
/// <param name="P99">The 99th percentile.</param>
/// <param name="Longest">The longest call.</param>
/// <param name="Sums">The time in each phase since recording began, of all calls together.</param>
internal sealed record OperationRow(Operation Operation, long Calls, long Failed, double? P50, double? P95, double? P99, double? Longest, PhaseTimes Sums);
