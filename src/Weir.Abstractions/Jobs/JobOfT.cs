using Weir.Runtime;

namespace Weir;

/// <summary>A handle of a job with a result. May be used concurrently.</summary>
/// <typeparam name="T">The result's type.</typeparam>
public sealed class Job<T> : Job
{
    /// <summary>A handle. For the code that submits jobs.</summary>
    /// <param name="source">Where the job is.</param>
    /// <param name="id">Its id.</param>
    /// <param name="isExisting">Whether an earlier submission had made it.</param>
    public Job(JobSource source, Guid id, bool isExisting = false)
        : base(source, id, isExisting)
    {
    }

    /// <summary>Waits until it has succeeded, and returns its result.</summary>
    /// <param name="cancellationToken">Ends the wait, not the job.</param>
    /// <exception cref="JobException">It ended without an answer of its operation, there is no such job, or its stored result cannot be read as this type.</exception>
    /// <exception cref="WeirException">It failed: what a caller of the operation would catch.</exception>
    /// <exception cref="InvalidOperationException">A job waits for one of its own kind, and keeps the place that the other one needs.</exception>
    public new Task<T> ResultAsync(CancellationToken cancellationToken = default) => _source.ResultAsync<T>(Id, cancellationToken);
}
