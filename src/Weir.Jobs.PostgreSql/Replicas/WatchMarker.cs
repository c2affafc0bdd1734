using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Replicas;

/// <summary>Writes to the rows of jobs that they are watched. One transaction at a time: what is asked for until it has ended goes into the next one together, so that many who wait take no more than one connection. Any thread.</summary>
/// <param name="database">The database.</param>
/// <param name="table">Has the statements.</param>
/// <param name="watched">Learns which jobs are marked.</param>
internal sealed class WatchMarker(Database database, ReplicaTable table, WatchedJobs watched)
{
    private const int MostAtOnce = 1_000;

    // For a commit that has a row to end.
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(5);

    private readonly Lock _gate = new();

    // Under _gate. Bounded by those who wait for jobs.
    private readonly Dictionary<Guid, TaskCompletionSource> _waiting = [];
    private bool _isWriting;

    /// <summary>Marks a job.</summary>
    /// <returns>Completes when it is marked, or is not among those that have not ended.</returns>
    /// <exception cref="JobStoreException">The database does not answer.</exception>
    public Task MarkAsync(Guid job, CancellationToken cancellationToken)
    {
        TaskCompletionSource? marked;
        lock (_gate)
        {
            if (!_waiting.TryGetValue(job, out marked))
            {
                _waiting.Add(job, marked = new(TaskCreationOptions.RunContinuationsAsynchronously));
            }

            if (!_isWriting)
            {
                _isWriting = true;
                _ = Task.Run(WriteAsync, CancellationToken.None);
            }
        }

        return marked.Task.WaitAsync(cancellationToken);
    }

    private async Task WriteAsync()
    {
        while (Next() is { Length: > 0 } jobs)
        {
            Guid[] left = [];
            JobStoreException? failure = null;
            try
            {
                await using var connection = await database.OpenAsync(CancellationToken.None);
                left = await table.MarkAsync(connection, jobs, CancellationToken.None);
            }
            catch (Exception error)
            {
                failure = new JobStoreException($"Jobs cannot be watched: {error.Message}", error);
            }

            End(jobs.Except(left), failure);
            if (left.Length > 0)
            {
                await Task.Delay(Pause, TimeProvider.System);
            }
        }
    }

    private Guid[] Next()
    {
        lock (_gate)
        {
            _isWriting = _waiting.Count > 0;
            return [.. _waiting.Keys.Take(MostAtOnce)];
        }
    }

    private void End(IEnumerable<Guid> jobs, JobStoreException? failure)
    {
        lock (_gate)
        {
            foreach (var job in jobs)
            {
                _waiting.Remove(job, out var marked);
                if (failure is not null)
                {
                    marked!.TrySetException(failure);
                    _ = marked.Task.Exception;
                }
                else
                {
                    watched.Marked(job);
                    marked!.TrySetResult();
                }
            }
        }
    }
}
