using Weir.Jobs.Rules;

namespace Weir.Jobs.Storage;

/// <summary>The rows of a store in memory, and the orders in which they are found. Not for concurrent use.</summary>
internal sealed class MemoryJobTable
{
    // For places in an order where no job need be.
    private static readonly NewJob NoCall = new() { Id = default, Kind = "", Signature = 0, Arguments = default, Submitted = default, Due = default };

    // All of it has one entry for each job that is kept: what is kept, and how many wait, is bounded by those who call the store.
    private readonly Dictionary<Guid, MemoryJob> _jobs = [];
    private readonly Dictionary<(string Kind, string? Owner, string Key), MemoryJob> _unique = [];
    private readonly Dictionary<string, ReadyJobs> _ready = new(StringComparer.Ordinal);
    private readonly Dictionary<(string Kind, JobState State), int> _counts = [];
    private readonly SortedSet<MemoryJob> _submitted = new(Comparer<MemoryJob>.Create(static (a, b) => a.Number.CompareTo(b.Number)));
    private readonly SortedSet<MemoryJob> _scheduled = new(Comparer<MemoryJob>.Create(ByDue));
    private readonly SortedSet<MemoryJob> _expiring = new(Comparer<MemoryJob>.Create(ByExpiry));

    // Of kinds with limits.
    private readonly Dictionary<string, RunningCounts> _running = new(StringComparer.Ordinal);
    private long _number;
    private long _sequence;

    /// <summary>The scheduled job that becomes ready next.</summary>
    public MemoryJob? NextDue => _scheduled.Min;

    /// <summary>The jobs that wait for their time, the next one first.</summary>
    public IEnumerable<MemoryJob> Scheduled => _scheduled;

    /// <summary>The kinds of which jobs are ready, with them.</summary>
    public IEnumerable<KeyValuePair<string, ReadyJobs>> AllReady => _ready;

    /// <summary>The job that has not begun and whose time is over next.</summary>
    public MemoryJob? NextExpiry => _expiring.Min;

    /// <summary>The kinds of which no job is claimed. As many as an application has.</summary>
    public HashSet<string> Paused { get; } = new(StringComparer.Ordinal);

    /// <summary>By their names. As many as applications declare; those that none declares are deleted.</summary>
    public SortedDictionary<string, ScheduleRecord> Schedules { get; } = new(StringComparer.Ordinal);

    public IEnumerable<KeyValuePair<(string Kind, JobState State), int>> Counts => _counts;

    public MemoryJob? Find(Guid id) => _jobs.GetValueOrDefault(id);

    /// <summary>The job for which an idempotency key stands.</summary>
    public MemoryJob? Find((string Kind, string? Owner, string Key) unique) => _unique.GetValueOrDefault(unique);

    public bool IsReady(string kind) => _ready.ContainsKey(kind);

    /// <summary>The jobs of a kind that are ready; <c>null</c> where none is.</summary>
    public ReadyJobs? Ready(string kind) => _ready.GetValueOrDefault(kind);

    /// <summary>What runs of a kind: counted when that is asked first, and followed from there.</summary>
    public RunningCounts Running(string kind)
    {
        if (!_running.TryGetValue(kind, out var running))
        {
            _running.Add(kind, running = new RunningCounts());
            foreach (var job in _jobs.Values.Where(job => job.Kind == kind && job.Status.State == JobState.Running))
            {
                running.Add(job.Key);
            }
        }

        return running;
    }

    /// <summary>Jobs that were submitted before another one, or all, the last one first.</summary>
    public IEnumerable<MemoryJob> Submitted(MemoryJob? before) =>
        before is null ? _submitted.Reverse() : _submitted.GetViewBetween(_submitted.Min, before).Reverse().Skip(1);

    /// <summary>Jobs that were submitted after one of this number, the first one first. An enumeration ends with a change.</summary>
    public IEnumerable<MemoryJob> SubmittedAfter(long number) =>
        _submitted.Max is { } last && last.Number > number ? _submitted.GetViewBetween(new MemoryJob(NoCall, number + 1), last) : [];

    /// <summary>Adds a job that is accepted.</summary>
    public MemoryJob Add(NewJob call, JobStatus status)
    {
        var job = new MemoryJob(call, ++_number);
        _jobs.Add(job.Id, job);
        _submitted.Add(job);
        job.Status = status;
        Enter(job);
        return job;
    }

    public void Remove(MemoryJob job)
    {
        Exit(job);
        _submitted.Remove(job);
        _jobs.Remove(job.Id);
    }

    /// <summary>Gives a job other arguments, and perhaps another key.</summary>
    public void Edit(MemoryJob job, JobAction action, DateTimeOffset now)
    {
        Exit(job);
        job.Edit(action, now);
        Enter(job, keepsPlace: true);
    }

    /// <summary>Gives a job another status. One that becomes ready goes behind those that are.</summary>
    public void Change(MemoryJob job, JobStatus status)
    {
        if (job.Status.State == JobState.Ready && status.State == JobState.Ready)
        {
            job.Status = status;
            return;
        }

        Exit(job);
        job.Status = status;
        Enter(job);
    }

    private static int ByDue(MemoryJob a, MemoryJob b)
    {
        var order = a.Status.Due.CompareTo(b.Status.Due);
        return order == 0 ? a.Number.CompareTo(b.Number) : order;
    }

    private static int ByExpiry(MemoryJob a, MemoryJob b)
    {
        var order = Nullable.Compare(a.Expires, b.Expires);
        return order == 0 ? a.Number.CompareTo(b.Number) : order;
    }

    private void Enter(MemoryJob job, bool keepsPlace = false)
    {
        Count(job, 1);
        if (job.HoldsKey)
        {
            _unique.Add(job.Unique!.Value, job);
        }

        if (job.MayExpire)
        {
            _expiring.Add(job);
        }

        if (job.Status.State == JobState.Running && _running.TryGetValue(job.Kind, out var running))
        {
            running.Add(job.Key);
        }

        if (job.Status.State == JobState.Scheduled)
        {
            _scheduled.Add(job);
        }
        else if (job.Status.State == JobState.Ready)
        {
            job.Sequence = keepsPlace ? job.Sequence : ++_sequence;
            if (!_ready.TryGetValue(job.Kind, out var ready))
            {
                _ready.Add(job.Kind, ready = new ReadyJobs());
            }

            ready.Add(job);
        }
    }

    private void Exit(MemoryJob job)
    {
        Count(job, -1);
        if (job.HoldsKey)
        {
            _unique.Remove(job.Unique!.Value);
        }

        if (job.MayExpire)
        {
            _expiring.Remove(job);
        }

        if (job.Status.State == JobState.Running && _running.TryGetValue(job.Kind, out var running))
        {
            running.Remove(job.Key);
        }

        if (job.Status.State == JobState.Scheduled)
        {
            _scheduled.Remove(job);
        }
        else if (job.Status.State == JobState.Ready)
        {
            var ready = _ready[job.Kind];
            ready.Remove(job);
            if (ready.IsEmpty)
            {
                _ready.Remove(job.Kind);
            }
        }
    }

    private void Count(MemoryJob job, int difference)
    {
        var key = (job.Kind, job.Status.State);
        var count = _counts.GetValueOrDefault(key) + difference;
        if (count == 0)
        {
            _counts.Remove(key);
        }
        else
        {
            _counts[key] = count;
        }
    }
}
