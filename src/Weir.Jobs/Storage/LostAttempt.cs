namespace Weir.Jobs.Storage;

/// <summary>An attempt whose replica is gone.</summary>
/// <param name="Id">The job.</param>
/// <param name="Kind">Its kind.</param>
/// <param name="Fence">Of its claim.</param>
/// <param name="Items">How many items the job has.</param>
internal readonly record struct LostAttempt(Guid Id, string Kind, long Fence, long Items);
