using Weir.Runtime;

namespace Weir;

/// <summary>A handle of a job whose operation is a stream. May be used concurrently.</summary>
/// <typeparam name="T">The item's type.</typeparam>
public sealed class JobStream<T> : Job
{
    /// <summary>A handle. For the code that submits jobs.</summary>
    /// <param name="source">Where the job is.</param>
    /// <param name="id">Its id.</param>
    /// <param name="isExisting">Whether an earlier submission had made it.</param>
    public JobStream(JobSource source, Guid id, bool isExisting = false)
        : base(source, id, isExisting)
    {
    }

    /// <summary>Its items: first those that are stored, then each as it is stored, until the job has ended. Every reader gets all of them.</summary>
    /// <param name="from">The index of the first item to return, 0 or more. Beyond the end there are none.</param>
    /// <param name="cancellationToken">Ends the reading, not the job.</param>
    /// <exception cref="JobException">It ended without success, there is no such job, or it was begun again by hand and these items were dropped: after the items that there were.</exception>
    /// <exception cref="WeirException">It failed: what a caller of the operation would catch, after the items that there were.</exception>
    public IAsyncEnumerable<T> ItemsAsync(long from = 0, CancellationToken cancellationToken = default) => _source.ItemsAsync<T>(Id, from, cancellationToken);
}
