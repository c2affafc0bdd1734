namespace Weir.Jobs.Storage;

/// <summary>A job that has ended.</summary>
/// <param name="Id">The job.</param>
/// <param name="State">How it ended.</param>
/// <param name="Ended">When.</param>
/// <param name="HoldsKey">Whether it has an idempotency key that is unique as long as it is kept.</param>
internal readonly record struct EndedJob(Guid Id, JobState State, DateTimeOffset Ended, bool HoldsKey);
