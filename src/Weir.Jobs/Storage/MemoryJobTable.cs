using Weir.Jobs.Rules;

namespace Weir.Jobs.Storage;

/// <summary>The rows of a store in memory, and the orders in which they are found. Not for concurrent use.</summary>
internal sealed class MemoryJobTable
{
    // All of it has one entry for each job that is kept: what is kept, and how many wait, is bounded by those who call the store.
    private readonly Dictionary<Guid, MemoryJob> _jobs = [];
    private readonly Dictionary<(string Kind, string? Owner, string Key), MemoryJob> _unique = [];
    private readonly Dictionary<string, ReadyJobs> _ready = new(StringComparer.Ordinal);
    private readonly Dictionary<(string Kind, JobState State), int> _counts = [];
    private readonly SortedSet<MemoryJob> _submitted = new(Comparer<MemoryJob>.Create(static (a, b) => a.Number.CompareTo(b.Number)));
    private readonly SortedSet<MemoryJob> _scheduled = new(Comparer<MemoryJob>.Create(ByDue));
    private long _number;
    private long _sequence;

    /// <summary>The scheduled job that becomes ready next.</summary>
    public MemoryJob? NextDue => _scheduled.Min;

    public IEnumerable<KeyValuePair<(string Kind, JobState State), int>> Counts => _counts;

    public MemoryJob? Find(Guid id) => _jobs.GetValueOrDefault(id);

    /// <summary>The job that has an idempotency key.</summary>
    public MemoryJob? Find((string Kind, string? Owner, string Key) unique) => _unique.GetValueOrDefault(unique);

    public bool IsReady(string kind) => _ready.ContainsKey(kind);

    /// <summary>The job of a kind to be claimed next.</summary>
    public MemoryJob? NextReady(string kind, string? afterKey) => _ready.TryGetValue(kind, out var ready) ? ready.Next(afterKey) : null;

    /// <summary>Jobs that were submitted before another one, or all, the last one first.</summary>
    public IEnumerable<MemoryJob> Submitted(MemoryJob? before) =>
        before is null ? _submitted.Reverse() : _submitted.GetViewBetween(_submitted.Min, before).Reverse().Skip(1);

    /// <summary>Adds a job that is accepted.</summary>
    public MemoryJob Add(NewJob call, JobStatus status)
    {
        var job = new MemoryJob(call, ++_number);
        _jobs.Add(job.Id, job);
        _submitted.Add(job);
        if (job.Unique is { } unique)
        {
            _unique.Add(unique, job);
        }

        job.Status = status;
        Enter(job);
        return job;
    }

    public void Remove(MemoryJob job)
    {
        Exit(job);
        _submitted.Remove(job);
        _jobs.Remove(job.Id);
        if (job.Unique is { } unique)
        {
            _unique.Remove(unique);
        }
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

    private void Enter(MemoryJob job)
    {
        Count(job, 1);
        if (job.Status.State == JobState.Scheduled)
        {
            _scheduled.Add(job);
        }
        else if (job.Status.State == JobState.Ready)
        {
            job.Sequence = ++_sequence;
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
