namespace Weir.Jobs.Watching;

/// <summary>Those who wait for a job in this process. Any thread.</summary>
internal sealed class JobWatch
{
    private readonly Lock _gate = new();

    // Under _gate. As many as there are waits; each removes its own.
    private readonly Dictionary<Guid, List<Watcher>> _watchers = [];
    private Exception? _end;

    /// <summary>Begins to wait. Before the store is asked: what is committed after that is not missed.</summary>
    /// <param name="id">The job.</param>
    /// <param name="onlyEnd">Whether only the end counts, and no item or progress.</param>
    public Watcher Begin(Guid id, bool onlyEnd)
    {
        var watcher = new Watcher(this, id, onlyEnd);
        lock (_gate)
        {
            if (_end is not null)
            {
                watcher.Fail(_end);
            }

            if (_watchers.TryGetValue(id, out var others))
            {
                others.Add(watcher);
            }
            else
            {
                _watchers.Add(id, [watcher]);
            }
        }

        return watcher;
    }

    /// <summary>Something of a job has changed.</summary>
    public void Changed(Guid id) => Notify(id, isEnd: false);

    /// <summary>A job has ended, or was deleted.</summary>
    public void Ended(Guid id) => Notify(id, isEnd: true);

    /// <summary>Nothing changes any more: those who wait get this.</summary>
    public void Fail(Exception end)
    {
        lock (_gate)
        {
            _end ??= end;
            foreach (var watcher in _watchers.Values.SelectMany(static watchers => watchers))
            {
                watcher.Fail(_end);
            }
        }
    }

    private void Notify(Guid id, bool isEnd)
    {
        lock (_gate)
        {
            if (_watchers.TryGetValue(id, out var watchers))
            {
                foreach (var watcher in watchers)
                {
                    watcher.Notify(isEnd);
                }
            }
        }
    }

    private void Check(Watcher watcher)
    {
        lock (_gate)
        {
            if (_end is not null)
            {
                watcher.Fail(_end);
            }
        }
    }

    private void Remove(Watcher watcher)
    {
        lock (_gate)
        {
            if (_watchers.TryGetValue(watcher.Id, out var watchers) && watchers.Remove(watcher) && watchers.Count == 0)
            {
                _watchers.Remove(watcher.Id);
            }
        }
    }

    /// <summary>One who waits. Used by one flow.</summary>
    internal sealed class Watcher(JobWatch watch, Guid id, bool onlyEnd) : IDisposable
    {
        private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Guid Id => id;

        /// <summary>Completes with the first change since the last call, or since it began.</summary>
        public async Task WaitAsync(CancellationToken cancellationToken)
        {
            await Volatile.Read(ref _changed).Task.WaitAsync(cancellationToken);
            Volatile.Write(ref _changed, new(TaskCreationOptions.RunContinuationsAsynchronously));
            watch.Check(this);
        }

        public void Notify(bool isEnd)
        {
            if (isEnd || !onlyEnd)
            {
                Volatile.Read(ref _changed).TrySetResult();
            }
        }

        public void Fail(Exception end) => Volatile.Read(ref _changed).TrySetException(end);

        public void Dispose() => watch.Remove(this);
    }
}
