using Weir.Jobs.Storage;

namespace Weir.Jobs.Running;

/// <summary>
/// What waits to be written, and who waits for it: bounded by those who wait for their submissions, by the jobs that run here, and by a job's own limit of items on their way. Under the lock of the scheduler.
/// </summary>
internal sealed class WaitingWrites
{
    private const int SmallOutcome = 64 * 1024;

    private readonly Queue<PendingJobs> _jobs = [];
    private readonly Dictionary<Guid, NewProgress> _progress = [];
    private List<Pending<JobAction>> _actions = [];
    private List<Pending<NewItems>> _items = [];
    private List<Pending<Action<JobBatch>>> _writes = [];

    // The store could not commit, and may have no space: what is large goes alone.
    private bool _isCareful;
    private bool _isTurnOfOne;

    public bool IsEmpty => _jobs.Count + _actions.Count + _items.Count + _writes.Count + _progress.Count == 0;

    public void Add(PendingJobs jobs) => _jobs.Enqueue(jobs);

    public void Add(Pending<JobAction> action) => _actions.Add(action);

    public void Add(Pending<NewItems> items) => _items.Add(items);

    public void Add(Pending<Action<JobBatch>> write) => _writes.Add(write);

    /// <summary>Only the last one of a job is written.</summary>
    public void Add(NewProgress progress) => _progress[progress.Id] = progress;

    /// <summary>Begins a commit where the store may have no space: with an outcome that is large, or what is no outcome, alone, in turn with everything else, so that it keeps nothing else from being written.</summary>
    /// <returns><c>null</c> where it is not the turn of one.</returns>
    public JobCommit? TakeAloneInTurn(DateTimeOffset now)
    {
        _isTurnOfOne = !_isTurnOfOne;
        return _isTurnOfOne ? TakeAlone(now) : null;
    }

    /// <summary>The same, whosever turn it is.</summary>
    public JobCommit? TakeAlone(DateTimeOffset now)
    {
        if (!_isCareful)
        {
            return null;
        }

        var alone = new JobCommit(now);
        if (_actions.Find(static pending => pending.What.Payload.Length > SmallOutcome) is { } large)
        {
            _actions.Remove(large);
            alone.Add([large]);
        }
        else if (_writes.Count > 0)
        {
            alone.Add([_writes[0]]);
            _writes.RemoveAt(0);
        }

        return alone.Batch.IsEmpty ? null : alone;
    }

    /// <summary>Moves everything but submissions into a commit, except what goes alone.</summary>
    public void MoveTo(JobCommit commit)
    {
        commit.Add(_isCareful ? _actions.FindAll(static pending => pending.What.Payload.Length <= SmallOutcome) : _actions);
        _actions = _isCareful ? _actions.FindAll(static pending => pending.What.Payload.Length > SmallOutcome) : [];
        commit.Add(_items);
        _items = [];
        if (!_isCareful)
        {
            commit.Add(_writes);
            _writes = [];
        }

        commit.Batch.Progress.AddRange(_progress.Values);
        _progress.Clear();
    }

    /// <summary>The next submission whose caller has not left; <c>null</c> where there is none, or it is too large.</summary>
    /// <param name="most">How many jobs it may have.</param>
    /// <param name="mostBytes">How many bytes of arguments.</param>
    public PendingJobs? TakeJobs(int most, long mostBytes)
    {
        while (_jobs.TryPeek(out var pending) && pending.Requests.Length <= most && pending.Bytes <= mostBytes)
        {
            _jobs.Dequeue();
            if (pending.TryHandOver())
            {
                return pending;
            }
        }

        return null;
    }

    /// <summary>Every submission: the store has not answered for long.</summary>
    public List<PendingJobs> TakeAllJobs()
    {
        List<PendingJobs> jobs = [.. _jobs];
        _jobs.Clear();
        return jobs;
    }

    /// <summary>A commit has succeeded.</summary>
    public void Committed() => _isCareful &= _actions.Count + _writes.Count > 0;

    /// <summary>A commit has failed: what it had is written with a later one, before what came since. Events can be applied twice: a fence lets the second one do nothing. Submissions are not given back: their callers learn of it.</summary>
    public void GiveBack(JobCommit commit)
    {
        _isCareful = true;
        _actions.InsertRange(0, commit.Actions);
        _items.InsertRange(0, commit.Items);
        _writes.InsertRange(0, commit.Writes);
        foreach (var progress in commit.Batch.Progress)
        {
            _progress.TryAdd(progress.Id, progress);
        }
    }

    /// <summary>Gives up everything: nothing is written any more.</summary>
    /// <returns>Tells those who wait. To be called outside the lock.</returns>
    public Action<JobStoreException> Abandon()
    {
        var (jobs, actions, items, writes) = (TakeAllJobs(), _actions, _items, _writes);
        (_actions, _items, _writes) = ([], [], []);
        return failure =>
        {
            foreach (var pending in jobs)
            {
                pending.TrySetException(StoreErrors.Unavailable(failure));
            }

            Fail(actions, failure);
            Fail(items, failure);
            Fail(writes, failure);
        };
    }

    /// <summary>Those who wait for what is written get an error.</summary>
    public static void Fail<T>(List<Pending<T>> pending, JobStoreException failure)
    {
        foreach (var one in pending)
        {
            one.TrySetException(failure);
        }
    }
}
