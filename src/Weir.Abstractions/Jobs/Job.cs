using Weir.Runtime;

namespace Weir;

/// <summary>A handle of one job: it has the id, and asks the store. May be used concurrently.</summary>
public class Job
{
    private protected readonly JobSource _source;

    /// <summary>A handle. For the code that submits jobs.</summary>
    /// <param name="source">Where the job is.</param>
    /// <param name="id">Its id.</param>
    /// <param name="isExisting">Whether an earlier submission had made it.</param>
    public Job(JobSource source, Guid id, bool isExisting = false)
    {
        ArgumentNullException.ThrowIfNull(source);
        _source = source;
        Id = id;
        IsExisting = isExisting;
    }

    /// <summary>By which the job is asked for: a UUID of version 7, with 74 random bits.</summary>
    public Guid Id { get; }

    /// <summary>Whether an earlier submission with the same <see cref="JobOptions.IdempotencyKey"/> made it.</summary>
    public bool IsExisting { get; }

    /// <summary>What is known of it now; <c>null</c> where there is no such job, because it was purged.</summary>
    /// <param name="cancellationToken">Ends the question.</param>
    public ValueTask<JobInfo?> GetAsync(CancellationToken cancellationToken = default) => _source.GetAsync(Id, cancellationToken);

    /// <summary>Waits until it has ended.</summary>
    /// <param name="cancellationToken">Ends the wait, not the job.</param>
    /// <exception cref="JobException">There is no such job.</exception>
    public Task<JobInfo> WaitAsync(CancellationToken cancellationToken = default) => _source.WaitAsync(Id, cancellationToken);

    /// <summary>Waits until it has succeeded.</summary>
    /// <param name="cancellationToken">Ends the wait, not the job.</param>
    /// <exception cref="JobException">It ended without an answer of its operation, or there is no such job.</exception>
    /// <exception cref="WeirException">It failed: what a caller of the operation would catch.</exception>
    /// <exception cref="InvalidOperationException">A job waits for one of its own kind, and keeps the place that the other one needs.</exception>
    public Task ResultAsync(CancellationToken cancellationToken = default) => _source.ResultAsync(Id, cancellationToken);

    /// <summary>
    /// Asks it to stop. One that waits is cancelled at once. One that runs gets its token cancelled; it is <see cref="JobState.Cancelled"/> when its code has ended, and a worker that
    /// does not end it within its grace is killed. Nothing happens to one that has ended.
    /// </summary>
    /// <param name="cancellationToken">Ends the wait for the store.</param>
    /// <returns>What is known of it afterwards; <c>null</c> where there is no such job.</returns>
    public ValueTask<JobInfo?> CancelAsync(CancellationToken cancellationToken = default) => _source.CancelAsync(Id, cancellationToken);

    /// <inheritdoc/>
    public override string ToString() => Id.ToString();
}
