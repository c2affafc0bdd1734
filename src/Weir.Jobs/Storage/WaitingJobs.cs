namespace Weir.Jobs.Storage;

/// <summary>What waits of one kind.</summary>
/// <param name="Kind">The kind.</param>
/// <param name="Count">How many jobs wait, for a time or for a place.</param>
/// <param name="OldestDue">Since when the job that was submitted first, of those that are ready, has been due; <c>null</c> where none is ready.</param>
internal readonly record struct WaitingJobs(string Kind, long Count, DateTimeOffset? OldestDue);
