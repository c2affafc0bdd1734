using Weir.Jobs.Schedules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Running;

/// <summary>
/// Everything that is written to the store goes through here, in one commit after the other: while one is on its way, what comes is collected for the next. Decides what is claimed: only for places that are
/// free. Any thread.
/// </summary>
/// <param name="store">Open.</param>
/// <param name="kinds">What this process runs.</param>
/// <param name="schedules">What this process declares.</param>
/// <param name="mostRunning">How many jobs run at once at most.</param>
/// <param name="accepts">Whether occurrences of schedules become jobs.</param>
/// <param name="time">The clock.</param>
/// <param name="observer">Hears what was committed. Its methods must not block.</param>
internal sealed class JobScheduler(IJobStore store, JobKinds kinds, ScheduleBoard schedules, int mostRunning, bool accepts, TimeProvider time, IJobObserver observer) : IDisposable
{
    // Of a submission of several: it goes into one commit as a whole.
    public const int MostAtOnce = 1_000;

    private const int MostOfCommit = 256;

    // Of arguments: others wait while they are written.
    private const long MostBytesOfCommit = 4 * 1024 * 1024;
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(5);

    // A store that is another process may not answer for long, and find out then what became of a commit. Those who submit are not kept waiting that long.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    // A clock that was set, and a machine that slept, are noticed within this time: a timer does not count either. The store is not asked.
    private static readonly TimeSpan LongestWait = TimeSpan.FromMinutes(1);

    private readonly Lock _gate = new();

    // Under _gate.
    private readonly JobPlaces _places = new(kinds, mostRunning);

    // Under _gate.
    private readonly WaitingWrites _waiting = new();

    // Under _gate. The commit on its way takes so long that its outcome may not be known for a while.
    private bool _isStuck;

    // Under _gate.
    private bool _isWriting;
    private bool _claims;
    private DateTimeOffset? _nextDue;

    // By the clock's timestamp: its time may be set.
    private long? _pausedAt;
    private TimeSpan _pause = FirstPause;
    private TimeSpan _nextPause = FirstPause;
    private ITimer? _timer;
    private JobStoreException? _failure;
    private TaskCompletionSource? _idle;
    private TaskCompletionSource? _committed;
    private bool _isClosed;

    /// <summary>Why the store does not commit now; <c>null</c> while it does.</summary>
    public JobStoreException? Failure
    {
        get
        {
            lock (_gate)
            {
                return _failure;
            }
        }
    }

    /// <summary>The store is open. Before anything is written.</summary>
    public void Open(JobStoreContent content)
    {
        lock (_gate)
        {
            foreach (var name in content.PausedKinds)
            {
                _places.Pause(name, isPaused: true);
            }
        }
    }

    /// <summary>Jobs are claimed from now on.</summary>
    /// <param name="content">What the store contained.</param>
    /// <param name="runs">Whether this process runs jobs.</param>
    public void Begin(JobStoreContent content, bool runs)
    {
        lock (_gate)
        {
            _claims = runs;
            // What an earlier process had left running may wait for its time since.
            _nextDue = content.NextDue > _nextDue ? _nextDue : content.NextDue ?? _nextDue;
            foreach (var name in content.ReadyKinds)
            {
                _places.Ready(name);
            }
        }

        Wake();
    }

    /// <summary>No job is claimed any more. Submissions and outcomes are still written.</summary>
    /// <returns>Completes when the commit on its way, which may still start some, is applied.</returns>
    public Task StopClaimsAsync()
    {
        lock (_gate)
        {
            _claims = false;
            return _isWriting ? (_committed ??= new(TaskCreationOptions.RunContinuationsAsynchronously)).Task : Task.CompletedTask;
        }
    }

    /// <summary>Takes nothing any more, and writes what came before. What a store that cannot commit now has not taken is given up.</summary>
    public async Task CloseAsync()
    {
        Task idle;
        lock (_gate)
        {
            (_claims, _isClosed) = (false, true);
            idle = _isWriting ? (_idle ??= new(TaskCreationOptions.RunContinuationsAsynchronously)).Task : Task.CompletedTask;
        }

        await idle;
        JobStoreException failure;
        lock (_gate)
        {
            failure = _failure is { IsFinal: true } ? _failure : _failure = StoreErrors.Closed();
        }

        Abandon(null, failure);
    }

    /// <summary>Jobs of these kinds may be ready: another process has accepted or returned some.</summary>
    public void Ready(IReadOnlyCollection<string> kinds)
    {
        lock (_gate)
        {
            foreach (var name in kinds)
            {
                _places.Ready(name);
            }
        }

        Wake();
    }

    /// <summary>These kinds are paused, and no others.</summary>
    public void Paused(IReadOnlyCollection<string> paused)
    {
        lock (_gate)
        {
            foreach (var kind in kinds.All.Where(kind => kind.IsPaused != paused.Contains(kind.Name)))
            {
                _places.Pause(kind.Name, !kind.IsPaused);
            }
        }

        Wake();
    }

    /// <summary>A job is due at this time: perhaps earlier than the last commit knew.</summary>
    public void DueAt(DateTimeOffset due)
    {
        lock (_gate)
        {
            _nextDue = Earlier(_nextDue, due);
        }

        Wake();
    }

    /// <summary>Stores jobs: all of them, in one commit.</summary>
    /// <param name="jobs">At least one; more than one have no idempotency keys.</param>
    /// <param name="cancellationToken">Counts until they are handed to the store.</param>
    /// <exception cref="CallRejectedException">The store does not take them now.</exception>
    /// <exception cref="JobOutcomeUnknownException">It may have taken them.</exception>
    public async Task AcceptAsync(NewJobRequest[] jobs, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var pending = new PendingJobs(jobs, cancellationToken);
        lock (_gate)
        {
            if ((Refusal_NeedsLock() ?? (_isStuck ? _failure : null)) is { } failure)
            {
                throw StoreErrors.Unavailable(failure);
            }

            _waiting.Add(pending);
        }

        Wake();
        using (cancellationToken.UnsafeRegister(static state => ((PendingJobs)state!).TryCancel(), pending))
        {
            await pending.Task;
        }
    }

    /// <summary>Applies an event to a job.</summary>
    /// <param name="action">The event.</param>
    /// <returns>The same, filled in, when it is durable. It is written again until it is: <see cref="JobStoreException"/> only where the store has failed for good.</returns>
    public Task<JobAction> ActAsync(JobAction action)
    {
        var pending = new Pending<JobAction>(action);
        lock (_gate)
        {
            if (Refusal_NeedsLock() is { } failure)
            {
                return Task.FromException<JobAction>(failure);
            }

            _waiting.Add(pending);
        }

        Wake();
        return pending.Task;
    }

    /// <summary>Writes something else in the next commit.</summary>
    /// <param name="add">Adds it to a batch: again, where a commit failed.</param>
    /// <returns>Completes when it is durable.</returns>
    /// <exception cref="JobStoreException">The store has failed for good.</exception>
    public Task WriteAsync(Action<JobBatch> add)
    {
        var pending = new Pending<Action<JobBatch>>(add);
        lock (_gate)
        {
            if (Refusal_NeedsLock() is { } failure)
            {
                return Task.FromException(failure);
            }

            _waiting.Add(pending);
        }

        Wake();
        return pending.Task;
    }

    /// <summary>A job's code has ended: its place is free, and its outcome is written.</summary>
    public Task<JobAction> EndAsync(JobKind kind, JobAction outcome)
    {
        lock (_gate)
        {
            _places.Release(kind);
        }

        return ActAsync(outcome);
    }

    /// <summary>Stores items.</summary>
    /// <returns>The same, filled in, when they are durable.</returns>
    public Task<NewItems> AppendAsync(NewItems items)
    {
        var pending = new Pending<NewItems>(items);
        lock (_gate)
        {
            if (Refusal_NeedsLock() is { } failure)
            {
                return Task.FromException<NewItems>(failure);
            }

            _waiting.Add(pending);
        }

        Wake();
        return pending.Task;
    }

    /// <summary>Stores how far a job is, with the next commit.</summary>
    public void Report(NewProgress progress)
    {
        lock (_gate)
        {
            _waiting.Add(progress);
        }

        Wake();
    }

    /// <summary>Wakes up no more. After <see cref="CloseAsync"/>, which takes nothing any more.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _timer?.Dispose();
        }
    }

    private DateTimeOffset? NextOccurrence => accepts ? schedules.Next : null;

    private JobStoreException? Refusal_NeedsLock() => _failure is { IsFinal: true } ? _failure : _isClosed ? StoreErrors.Closed() : null;

    // ---- the commits ----

    private void Wake()
    {
        lock (_gate)
        {
            if (_isWriting)
            {
                return;
            }

            var now = time.GetUtcNow();
            if (!HasWork_NeedsLock(now))
            {
                // A timer has another clock, and may fire a little before the time.
                Plan_NeedsLock(now);
                return;
            }

            _isWriting = true;
        }

        ThreadPool.UnsafeQueueUserWorkItem(static scheduler => _ = scheduler.WriteAsync(), this, preferLocal: false);
    }

    private async Task WriteAsync()
    {
        while (TryBuild() is { } commit)
        {
            var began = time.GetTimestamp();
            try
            {
                await CommitAsync(commit);
            }
            catch (Exception thrown)
            {
                await FailAsync(commit, thrown as JobStoreException ?? new JobStoreException(thrown.Message, thrown));
                continue;
            }

            Apply(commit);
            observer.Committed(commit.Batch, time.GetElapsedTime(began));
        }
    }

    private async Task CommitAsync(JobCommit commit)
    {
        var committing = store.CommitAsync(commit.Batch);
        if (!store.HasManyReplicas || committing.IsCompleted)
        {
            await committing;
            return;
        }

        var task = committing.AsTask();
        try
        {
            await task.WaitAsync(Patience, time);
        }
        catch (TimeoutException) when (!task.IsCompleted)
        {
            GiveUpWaiting(commit);
            await task;
        }
    }

    // What runs waits for the store as long as it takes. Those who submit learn that it does not answer.
    private void GiveUpWaiting(JobCommit commit)
    {
        var failure = new JobStoreException($"The store has not answered for {Patience.TotalSeconds} s.") { IsUnknown = true };
        List<PendingJobs> waiting;
        lock (_gate)
        {
            (_isStuck, _failure) = (true, failure);
            waiting = _waiting.TakeAllJobs();
        }

        observer.CommitFailed(failure);
        foreach (var pending in waiting.Where(static pending => pending.TryHandOver()))
        {
            pending.TrySetException(StoreErrors.Unavailable(failure));
        }

        foreach (var pending in commit.Jobs)
        {
            pending.TrySetException(new JobOutcomeUnknownException(pending.Requests[0].Job.Id, failure));
        }
    }

    private bool HasWork_NeedsLock(DateTimeOffset now) =>
        !IsPaused_NeedsLock() && _failure is not { IsFinal: true }
        && (!_waiting.IsEmpty || (_claims && (_nextDue <= now || NextOccurrence <= now || _places.MayClaim)));

    private bool IsPaused_NeedsLock()
    {
        if (_pausedAt is { } at && time.GetElapsedTime(at) >= _pause)
        {
            _pausedAt = null;
        }

        return _pausedAt is not null;
    }

    private JobCommit? TryBuild()
    {
        TaskCompletionSource? idle = null, committed = null;
        try
        {
            lock (_gate)
            {
                (committed, _committed) = (_committed, null);
                var now = time.GetUtcNow();
                var commit = HasWork_NeedsLock(now) ? Build_NeedsLock(now) : null;
                if (commit is null)
                {
                    _isWriting = false;
                    Plan_NeedsLock(now);
                    (idle, _idle) = (_idle, null);
                }

                return commit;
            }
        }
        finally
        {
            committed?.TrySetResult();
            idle?.TrySetResult();
        }
    }

    private JobCommit? Build_NeedsLock(DateTimeOffset now)
    {
        if (_waiting.TakeAloneInTurn(now) is { } alone)
        {
            return Freed_NeedsLock(alone);
        }

        var commit = new JobCommit(now);
        commit.Batch.MovesDue = _claims && _nextDue <= now;
        if (_claims && accepts)
        {
            commit.Batch.ScheduleChanges.AddRange(schedules.Take(now));
        }

        _waiting.MoveTo(commit);
        Freed_NeedsLock(commit);

        // The first one always fits.
        var (most, mostBytes) = (int.MaxValue, long.MaxValue);
        var bytes = 0L;
        while (_waiting.TakeJobs(most, mostBytes) is { } pending)
        {
            bytes += pending.Bytes;
            commit.Jobs.Add(pending);
            foreach (var request in pending.Requests)
            {
                request.Job.Starts = _claims && request.Job.Due <= now && !(request.Job.Expires <= now) && _places.MayStart(request.Kind);
                if (request.Job.Starts)
                {
                    _places.Take(request.Kind);
                }
                else if (request.Kind.HasBlocked && request.Job.Due <= now)
                {
                    // Those that wait may be of other keys: the store is asked in the same commit.
                    request.Kind.HasReady = true;
                }

                commit.Batch.Jobs.Add(request.Job);
            }

            (most, mostBytes) = (MostOfCommit - commit.Batch.Jobs.Count, MostBytesOfCommit - bytes);
        }

        if (_claims)
        {
            _places.Claim(commit.Batch.Claims, MostOfCommit);
        }

        if (!commit.Batch.IsEmpty)
        {
            return commit;
        }

        return _waiting.TakeAlone(now) is { } only ? Freed_NeedsLock(only) : null;
    }

    // The store applies outcomes before the claims.
    private JobCommit Freed_NeedsLock(JobCommit commit)
    {
        foreach (var pending in commit.Actions)
        {
            _places.Freed(pending.What.KindName);
        }

        return commit;
    }

    // ---- what they bring ----

    private void Apply(JobCommit commit)
    {
        var batch = commit.Batch;
        List<(ClaimedJob Job, JobKind Kind)>? started = null;
        lock (_gate)
        {
            (_failure, _isStuck) = (null, false);
            _waiting.Committed();
            _nextPause = FirstPause;
            _nextDue = batch.NextDue;
            foreach (var name in batch.ReadyKinds)
            {
                _places.Ready(name);
            }

            foreach (var pending in commit.Jobs)
            {
                foreach (var request in pending.Requests)
                {
                    var job = request.Job;
                    if (job.Claimed is { } claimed)
                    {
                        (started ??= []).Add((claimed, request.Kind));
                    }
                    else
                    {
                        if (job.Starts)
                        {
                            _places.Release(request.Kind);
                        }

                        request.Kind.HasReady |= job is { Existing: null, IsRefused: false } && job.Due <= batch.Now;
                        request.Kind.Waiting.Add(job is { Existing: null, IsRefused: false } ? 1 : 0);
                    }
                }
            }

            if (batch.Schedules is { } declared)
            {
                schedules.Apply(declared);
            }

            schedules.Apply(batch.ScheduleChanges, batch.Now);

            foreach (var (name, isPaused) in batch.Pauses)
            {
                _places.Pause(name, isPaused);
            }

            if (!batch.IsBehind)
            {
                foreach (var claim in batch.Claims)
                {
                    foreach (var (job, kind) in _places.Take(claim))
                    {
                        kind.Waiting.Add(-1);
                        (started ??= []).Add((job, kind));
                    }
                }
            }
        }

        // In this order: a job is known to run here before its submitter knows of it, and before a later commit can cancel it.
        foreach (var (job, kind) in started ?? [])
        {
            observer.Started(job, kind);
        }

        foreach (var pending in commit.Items)
        {
            observer.Appended(pending.What);
            pending.Complete();
        }

        foreach (var pending in commit.Actions)
        {
            observer.Acted(pending.What, batch.Now);
            pending.Complete();
        }

        foreach (var change in batch.ScheduleChanges)
        {
            observer.Occurred(change, batch.Now);
        }

        foreach (var expired in batch.Expired)
        {
            observer.Expired(expired);
        }

        foreach (var pending in commit.Writes)
        {
            pending.Complete();
        }

        foreach (var pending in commit.Jobs)
        {
            Complete(pending);
        }
    }

    private void Complete(PendingJobs pending)
    {
        foreach (var request in pending.Requests)
        {
            var job = request.Job;
            if (job.IsRefused)
            {
                pending.TrySetException(job.OnlyExisting ? JobBacklog.Full(request.Kind) : StoreErrors.NoSpace());
                return;
            }

            if (job.IsKeyReused)
            {
                pending.TrySetException(new JobKeyReusedException(job.Existing!.Value, job.Kind, job.IdempotencyKey!));
                return;
            }
        }

        observer.Accepted(pending.Requests);
        pending.TrySetResult();
    }

    private async Task FailAsync(JobCommit commit, JobStoreException failure)
    {
        // A claim whose outcome is unknown would be of jobs that nothing runs: the next start of the process finds them.
        failure = failure is { IsUnknown: true, IsFinal: false } ? new JobStoreException(failure.Message, failure) { IsUnknown = true, IsFinal = true } : failure;
        observer.CommitFailed(failure);
        lock (_gate)
        {
            (_failure, _isStuck) = (failure, false);
            foreach (var request in commit.Jobs.SelectMany(static pending => pending.Requests).Where(static request => request.Job.Starts))
            {
                _places.Release(request.Kind);
            }

            if (!_failure.IsFinal)
            {
                schedules.GiveBack(commit.Batch.ScheduleChanges);

                _waiting.GiveBack(commit);
                (_pausedAt, _pause) = (time.GetTimestamp(), _nextPause);
                _nextPause = _pause * 2 < LongestPause ? _pause * 2 : LongestPause;
            }
        }

        foreach (var pending in commit.Jobs)
        {
            pending.TrySetException(failure.IsUnknown && !await IsKnownMissingAsync(pending) ? new JobOutcomeUnknownException(pending.Requests[0].Job.Id, failure) : StoreErrors.Unavailable(failure));
        }

        if (failure.IsFinal)
        {
            Abandon(commit, failure);
        }
    }

    private async Task<bool> IsKnownMissingAsync(PendingJobs pending)
    {
        try
        {
            return await store.FindAsync(pending.Requests[0].Job.Id, CancellationToken.None) is null;
        }
        catch (Exception)
        {
            // The store does not answer that either.
            return false;
        }
    }

    private void Abandon(JobCommit? commit, JobStoreException failure)
    {
        Action<JobStoreException> tell;
        lock (_gate)
        {
            tell = _waiting.Abandon();
        }

        if (commit is not null)
        {
            WaitingWrites.Fail(commit.Actions, failure);
            WaitingWrites.Fail(commit.Items, failure);
            WaitingWrites.Fail(commit.Writes, failure);
        }

        tell(failure);
    }

    private static DateTimeOffset? Earlier(DateTimeOffset? a, DateTimeOffset? b) => b is null || a < b ? a : b;

    private void Plan_NeedsLock(DateTimeOffset now)
    {
        var next = _pausedAt is { } at ? _pause - time.GetElapsedTime(at) : _claims ? Earlier(_nextDue, NextOccurrence) - now : null;
        if (next is not { } wait || _failure is { IsFinal: true })
        {
            return;
        }

        _timer ??= time.CreateTimer(static scheduler => ((JobScheduler)scheduler!).Wake(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        _timer.Change(wait <= TimeSpan.Zero ? TimeSpan.Zero : wait < LongestWait ? wait + TimeSpan.FromMilliseconds(1) : LongestWait, Timeout.InfiniteTimeSpan);
    }
}
