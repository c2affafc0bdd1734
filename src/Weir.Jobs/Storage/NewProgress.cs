namespace Weir.Jobs.Storage;

/// <summary>How far an attempt is. Ignored unless the job runs with this fence.</summary>
internal readonly record struct NewProgress(Guid Id, long Fence, JobProgress Progress);
