namespace Weir.Jobs.Storage;

/// <summary>A job that was claimed: the attempt of <see cref="Rules.JobStatus.Fence"/> is to run.</summary>
/// <param name="Record">The job, after the claim.</param>
/// <param name="Arguments">In their stored form.</param>
internal sealed record ClaimedJob(JobRecord Record, ReadOnlyMemory<byte> Arguments)
{
    /// <summary>Whether what is stored of the arguments is not what was written: they are empty, and the attempt cannot run. It was claimed so that it does not keep others from being claimed.</summary>
    public bool IsDamaged { get; init; }
}
