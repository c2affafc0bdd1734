namespace Weir.Execution.Observation.Records;

/// <summary>One pool, or the lane, in a list.</summary>
/// <param name="Name">Its name.</param>
/// <param name="State"><c>failing</c> or <c>waiting</c> while there is such a finding, otherwise <c>draining</c>, <c>busy</c> or <c>idle</c>.</param>
/// <param name="Reading">Its state.</param>
/// <param name="Rate">Calls that ended in the last second.</param>
/// <param name="Failed">Those of them that did not succeed.</param>
/// <param name="MinuteCalls">Calls that ended in the last minute.</param>
/// <param name="MinuteFailed">Those of them that did not succeed.</param>
/// <param name="P95">The 95th percentile of its calls of the last minute, in seconds; <c>null</c> without a call.</param>
internal sealed record PoolRow(string Name, string State, PoolReading Reading, long Rate, long Failed, long MinuteCalls, long MinuteFailed, double? P95);
