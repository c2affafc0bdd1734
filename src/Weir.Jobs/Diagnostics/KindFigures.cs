namespace Weir.Jobs.Diagnostics;

/// <summary>The last minute of one kind of job, in this process.</summary>
/// <param name="Ended">Jobs that ended.</param>
/// <param name="Failed">Those of them that failed.</param>
/// <param name="Rate">Jobs that ended, per second.</param>
/// <param name="P50">The median of how long an attempt ran, in seconds; <c>null</c> without one.</param>
/// <param name="P99">The 99th percentile of it.</param>
/// <param name="LastFailed">The job that failed last, and why; <c>null</c> where none has failed since recording began.</param>
internal readonly record struct KindFigures(long Ended, long Failed, double Rate, double? P50, double? P99, (Guid Job, JobReason Reason)? LastFailed);
