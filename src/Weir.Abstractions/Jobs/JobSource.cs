using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>Where the handles of jobs ask: the store of this process, or a server. May be used concurrently.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class JobSource
{
    /// <summary>What is known of a job now; <c>null</c> where there is none.</summary>
    /// <param name="id">Its id.</param>
    /// <param name="cancellationToken">Ends the question.</param>
    public abstract ValueTask<JobInfo?> GetAsync(Guid id, CancellationToken cancellationToken);

    /// <summary>Waits until a job has ended.</summary>
    /// <param name="id">Its id.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public abstract Task<JobInfo> WaitAsync(Guid id, CancellationToken cancellationToken);

    /// <summary>Waits until a job has succeeded.</summary>
    /// <param name="id">Its id.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public abstract Task ResultAsync(Guid id, CancellationToken cancellationToken);

    /// <summary>Waits until a job has succeeded, and reads its result.</summary>
    /// <typeparam name="T">The result's type.</typeparam>
    /// <param name="id">Its id.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public abstract Task<T> ResultAsync<T>(Guid id, CancellationToken cancellationToken);

    /// <summary>The items of a job.</summary>
    /// <typeparam name="T">The item's type.</typeparam>
    /// <param name="id">Its id.</param>
    /// <param name="from">The index of the first one.</param>
    /// <param name="cancellationToken">Ends the reading.</param>
    public abstract IAsyncEnumerable<T> ItemsAsync<T>(Guid id, long from, CancellationToken cancellationToken);

    /// <summary>Asks a job to stop.</summary>
    /// <param name="id">Its id.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public abstract ValueTask<JobInfo?> CancelAsync(Guid id, CancellationToken cancellationToken);
}
