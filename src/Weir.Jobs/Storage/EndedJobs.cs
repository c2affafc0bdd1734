namespace Weir.Jobs.Storage;

/// <summary>A part of the jobs that have ended.</summary>
/// <param name="Jobs">In the order in which they were submitted.</param>
/// <param name="Next">Where the next part begins; <c>null</c> where there is none.</param>
internal sealed record EndedJobs(IReadOnlyList<EndedJob> Jobs, long? Next);
