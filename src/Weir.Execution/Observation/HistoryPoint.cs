namespace Weir.Execution.Observation;

/// <summary>The values of one interval. Intervals without a point are gaps: nothing was read then.</summary>
/// <param name="Second">When the interval began, in seconds since recording began.</param>
/// <param name="Values">One for each column.</param>
internal readonly record struct HistoryPoint(long Second, float[] Values);
