namespace Weir;

/// <summary>How some times are distributed, in milliseconds, to three significant digits. All zero when there are none.</summary>
/// <param name="Count">How many times there are.</param>
/// <param name="P50">Half of them are not longer.</param>
/// <param name="P90">90 % are not longer.</param>
/// <param name="P99">99 % are not longer.</param>
/// <param name="P999">99.9 % are not longer.</param>
/// <param name="Max">The longest one.</param>
public readonly record struct LatencySummary(long Count, double P50, double P90, double P99, double P999, double Max);
