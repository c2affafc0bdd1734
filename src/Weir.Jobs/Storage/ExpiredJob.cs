namespace Weir.Jobs.Storage;

/// <summary>A job that ended because it had not begun in time.</summary>
/// <param name="Id">The job.</param>
/// <param name="Kind">Its kind.</param>
internal readonly record struct ExpiredJob(Guid Id, string Kind);
