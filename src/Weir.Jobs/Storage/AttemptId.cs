namespace Weir.Jobs.Storage;

/// <summary>One attempt of a job.</summary>
/// <param name="Id">The job.</param>
/// <param name="Fence">Of its claim.</param>
internal readonly record struct AttemptId(Guid Id, long Fence);
