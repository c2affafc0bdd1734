using Weir.Jobs.Storage;

namespace Weir.Jobs.Running;

/// <summary>A job on its way to the store.</summary>
internal sealed class NewJobRequest
{
    /// <summary>A request.</summary>
    /// <param name="kind">Its kind.</param>
    /// <param name="job">What is handed to the store, which fills it in. Whether it starts with its acceptance is for the scheduler to say.</param>
    public NewJobRequest(JobKind kind, NewJob job)
    {
        (Kind, Job) = (kind, job);
        job.Limits = kind.Limits;
    }

    public JobKind Kind { get; }

    public NewJob Job { get; }
}
