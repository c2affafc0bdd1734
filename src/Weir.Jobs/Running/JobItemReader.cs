using Weir.Jobs.Storage;
using Weir.Jobs.Watching;

namespace Weir.Jobs.Running;

/// <summary>Reads the items of one run of a job as they become durable, until it has ended. Used by one flow.</summary>
internal sealed class JobItemReader : IDisposable
{
    private readonly JobEngine _engine;
    private readonly StoredJobs _jobs;
    private readonly JobRecord _begun;
    private readonly JobWatch.Watcher _watcher;
    private JobRecord _last;
    private long _next;
    private bool _mustLook = true;
    private bool _mustWatch = true;

    /// <summary>A reader.</summary>
    /// <param name="engine">Has the store.</param>
    /// <param name="jobs">Says why a job has failed.</param>
    /// <param name="job">The job, at the run whose items are read.</param>
    /// <param name="from">The index of the first item.</param>
    public JobItemReader(JobEngine engine, StoredJobs jobs, JobRecord job, long from)
    {
        (_engine, _jobs, _begun, _last, _next) = (engine, jobs, job, job, from);
        _watcher = engine.Watch.Begin(job.Id, onlyEnd: false);
    }

    /// <summary>Whether a read has failed because the items of this run are not there any more.</summary>
    public bool IsGone { get; private set; }

    /// <summary>Whether all items were read of a job that has ended.</summary>
    public bool HasEnded { get; private set; }

    /// <summary>Waits for the next items.</summary>
    /// <returns>At least one; <c>null</c> after the last item of a job that succeeded.</returns>
    /// <exception cref="JobException">The job was deleted or begun again (<see cref="IsGone"/>), or has no result; else what a caller of the operation would catch.</exception>
    public async ValueTask<IReadOnlyList<ReadOnlyMemory<byte>>?> ReadAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            if (!_mustLook && (_engine.Runner.Driver is not { } driver || !await driver.WaitedForAsync(_last)))
            {
                _mustWatch = await _engine.WaitAsync(_watcher, cancellationToken);
            }

            if (_mustWatch)
            {
                await _engine.WatchAsync(_begun.Id, cancellationToken);
                _mustWatch = false;
            }

            // The job first: what it says is not newer than the items that are read after it.
            var job = _last = Same(await _jobs.FindAsync(_begun.Id, cancellationToken));
            if (_next < job.Items)
            {
                var items = await StoredJobs.AskAsync(_engine.Store.ReadItemsAsync(job.Id, job.Run, _next, cancellationToken));
                if (items.Count == 0)
                {
                    // Begun again, or deleted, since the job was read.
                    Same(await _jobs.FindAsync(job.Id, cancellationToken));
                    throw StoredJobs.Unreadable(job, $"its item {_next} is missing", null);
                }

                _next += items.Count;
                _mustLook = true;
                return items;
            }

            if (job.Status.HasEnded)
            {
                HasEnded = true;
                return _jobs.FailureOf(job) is { } failure ? throw failure : null;
            }

            _mustLook = false;
        }
    }

    public void Dispose() => _watcher.Dispose();

    private JobRecord Same(JobRecord? job)
    {
        if (job?.Run == _begun.Run)
        {
            return job;
        }

        IsGone = true;
        throw job is null ? StoredJobs.Missing(_begun.Id) : StoredJobs.BegunAgain(job);
    }
}
