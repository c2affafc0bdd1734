namespace Weir.Jobs.PostgreSql.Retention;

/// <summary>How long jobs that have ended are kept; <c>null</c> for no limit.</summary>
/// <param name="Kept">Those that succeeded, were cancelled or expired.</param>
/// <param name="Failed">Those that failed.</param>
internal sealed record RetentionTimes(TimeSpan? Kept, TimeSpan? Failed);
