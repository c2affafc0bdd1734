using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Storage;

/// <summary>
/// Replicas that share a store and claim jobs of one kind with limits, each with turns of its own, in random steps without clock and threads: jobs end in all ways, replicas crash,
/// outcomes come late, and people cancel, edit, begin again, purge and pause. A model knows what runs from what the commits answer. After each of them the limits hold, and a claim has left no place empty that a job may have.
/// </summary>
internal sealed class LimitSimulation(int seed)
{
    private const string Kind = "Reports/Build";
    private const int MostPerKey = 1;
    private const int MostTotal = 5;
    private const int MostJobs = 60;
    private const int MostLost = 20;

    private static readonly string[] Keys = ["", "a", "b", "c", "d", "e", "f", "g", "h", "🌊"];
    private static readonly JobTraits[] Traits = [new(), new() { Attempts = 3 }, new() { IsIdempotent = true, Attempts = 5, MostLosses = 5, MostCrashes = 5 }];

    private static readonly JobEvent[] Reports =
    [
        JobEvent.Succeeded, JobEvent.Succeeded, JobEvent.Threw, JobEvent.Answered, JobEvent.AskedForRetry, JobEvent.Crashed, JobEvent.NotStarted, JobEvent.NotStarted,
        JobEvent.Quarantined, JobEvent.NotUnderstood, JobEvent.Drained,
    ];

    private static readonly JobEvent[] Controls = [JobEvent.CancelAsked, JobEvent.TimedOut, JobEvent.ArgumentsEdited, JobEvent.ArgumentsEdited, JobEvent.RetriedByHand, JobEvent.RetriedByHand, JobEvent.Expired];

    private readonly Random _random = new(seed);
    private readonly JobTurn[] _turns = new JobTurn[4];

    // No more than MostJobs, and a few that one step adds.
    private readonly List<SimulatedJob> _jobs = [];
    private readonly Queue<(SimulatedJob Job, long Fence)> _lost = [];
    private readonly HashSet<string> _running = new(StringComparer.Ordinal);
    private DateTimeOffset _now = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);
    private bool _isPaused;
    private int _step;

    /// <summary>How often each event was applied.</summary>
    public Dictionary<JobEvent, int> Applied { get; } = [];

    /// <summary>How many jobs were claimed.</summary>
    public int Claimed { get; private set; }

    /// <summary>After how many steps as many jobs ran as may.</summary>
    public int Full { get; private set; }

    /// <summary>After how many claims jobs waited for their keys, and for nothing else.</summary>
    public int Blocked { get; private set; }

    /// <summary>One commit.</summary>
    public async Task StepAsync(IJobStore store)
    {
        _step++;
        _now += TimeSpan.FromSeconds(_random.Next(5));
        var batch = new JobBatch(_now) { MovesDue = _random.Next(3) == 0 };
        for (var count = _random.Next(1, 3); count > 0; count--)
        {
            Add(batch);
        }

        var replica = _random.Next(_turns.Length);
        for (var count = _random.Next(10) switch { < 4 => 0, < 9 => 1, _ => 2 }; count > 0; count--)
        {
            var slots = _random.Next(1, 8);
            batch.Claims.Add(new JobClaim { Slots = slots, Kinds = [new KindClaim { Kind = Kind, Slots = slots, Limits = new KindLimits(MostPerKey, MostTotal), Turn = _turns[replica] }] });
        }

        if (!batch.IsEmpty)
        {
            await store.CommitAsync(batch);
            Learn(batch, replica);
            Check(batch);
        }
    }

    /// <summary>All replicas end, and another process has the store.</summary>
    public async Task RestartAsync(IJobStore store, JobStoreContent content)
    {
        Assert.Equal(_isPaused ? [Kind] : [], content.PausedKinds);
        var running = _jobs.Where(static job => job.Status.State == JobState.Running).ToList();
        Assert.Equal(running.Select(static job => (job.Id, job.Status.Fence)).Order(), content.Lost.Select(static lost => (lost.Id, lost.Fence)).Order());
        var batch = new JobBatch(_now);
        batch.Actions.AddRange(running.Select(Lose));
        if (!batch.IsEmpty)
        {
            await store.CommitAsync(batch);
            Learn(batch, 0);
        }

        Array.Clear(_turns);
    }

    /// <summary>The store has what the model has.</summary>
    public async Task CompareAsync(IJobStore store)
    {
        var records = await store.ListAsync(new JobQuery { Limit = 1_000 }, TestContext.Current.CancellationToken);
        Assert.Equal(_jobs.Select(static job => (job.Id, job.Key, job.Status)).OrderBy(static job => job.Id), records.Select(static job => (job.Id, job.Key, job.Status)).OrderBy(static job => job.Id));
    }

    /// <summary>It is no proof when nothing happened.</summary>
    public void AssertHappened(int steps)
    {
        Assert.Equal(Reports.Concat(Controls).Append(JobEvent.OwnerLost).Append(JobEvent.Purged).Distinct().Order(), Applied.Keys.Order());
        Assert.InRange(Claimed, steps / 4, int.MaxValue);
        Assert.InRange(Full, steps / 20, steps);
        Assert.InRange(Blocked, steps / 50, steps);
    }

    private T Draw<T>(IReadOnlyList<T> from) => from[_random.Next(from.Count)];

    // Of a few keys in turn with all of them: once jobs wait for their keys, and once for a place.
    private string NextKey() => Keys[_random.Next(_step / 400 % 2 == 0 ? 3 : Keys.Length)];

    private void Add(JobBatch batch)
    {
        switch (_random.Next(100))
        {
            case < 30:
                Accept(batch);
                break;
            case < 65 when Where(JobState.Running) is { Count: > 0 } running:
                batch.Actions.Add(Action(Draw(running), Draw(Reports)));
                break;
            case < 85 when _jobs.Count > 0:
                batch.Actions.Add(Action(Draw(_jobs), Draw(Controls)));
                break;
            case < 88:
                // A replica crashes, and another one comes in its place.
                var replica = _random.Next(_turns.Length);
                _turns[replica] = default;
                batch.Actions.AddRange(_jobs.Where(job => job.Status.State == JobState.Running && job.Replica == replica).Select(Lose));
                break;
            case < 91 when _lost.Count > 0:
                var (lost, fence) = _lost.Dequeue();
                batch.Actions.Add(Action(lost, Draw(Reports), fence));
                break;
            case < 93:
                batch.Pauses.Add(new KindPause(Kind, _random.Next(4) == 0));
                break;
            default:
                batch.Actions.AddRange(_jobs.Where(job => job.Status.HasEnded && _random.Next(2) == 0).Select(job => Action(job, JobEvent.Purged)));
                break;
        }
    }

    private void Accept(JobBatch batch)
    {
        for (var count = _jobs.Count < MostJobs ? _random.Next(1, 4) : 0; count > 0; count--)
        {
            var id = new byte[16];
            _random.NextBytes(id);
            batch.Jobs.Add(new NewJob
            {
                Id = new Guid(id),
                Kind = Kind,
                Signature = 1,
                Arguments = default,
                Submitted = _now,
                Due = _random.Next(4) == 0 ? _now.AddSeconds(_random.Next(20)) : _now,
                Key = NextKey(),
                Priority = (JobPriority)_random.Next(-1, 2),
            });
        }
    }

    private List<SimulatedJob> Where(JobState state) => [.. _jobs.Where(job => job.Status.State == state)];

    private JobAction Lose(SimulatedJob job)
    {
        _lost.Enqueue((job, job.Status.Fence));
        if (_lost.Count > MostLost)
        {
            _lost.Dequeue();
        }

        return Action(job, JobEvent.OwnerLost);
    }

    private JobAction Action(SimulatedJob job, JobEvent happened, long? fence = null) => new()
    {
        Id = job.Id,
        Happened = happened,
        Kind = Draw(Traits),
        Moment = new JobMoment(_now, _random.NextDouble()) { Fence = fence ?? job.Status.Fence, Due = _random.Next(3) == 0 ? _now.AddSeconds(_random.Next(20)) : null },
        Key = happened == JobEvent.ArgumentsEdited ? NextKey() : null,
    };

    // ---- the model ----

    private void Learn(JobBatch batch, int replica)
    {
        foreach (var pause in batch.Pauses)
        {
            _isPaused = pause.IsPaused;
        }

        foreach (var action in batch.Actions)
        {
            if (action.Change.Verdict is JobVerdict.Applied or JobVerdict.Late or JobVerdict.Gone)
            {
                var job = _jobs.Find(job => job.Id == action.Id)!;
                Applied[action.Happened] = Applied.GetValueOrDefault(action.Happened) + 1;
                (job.Status, job.Key) = (action.Change.Status, action.Key ?? job.Key);
                if (action.Change.Verdict == JobVerdict.Gone)
                {
                    _jobs.Remove(job);
                }
            }
        }

        _jobs.AddRange(batch.Jobs.Select(job => new SimulatedJob { Id = job.Id, Key = job.Key, Status = JobRules.Accept(job.Due, _now) }));
        if (batch.MovesDue)
        {
            foreach (var job in _jobs.Where(job => job.Status.State == JobState.Scheduled && job.Status.Due <= _now))
            {
                job.Status = job.Status with { State = JobState.Ready };
            }
        }

        foreach (var claim in batch.Claims)
        {
            _turns[replica] = claim.Kinds[0].Turn;
            foreach (var claimed in claim.Jobs)
            {
                var job = _jobs.Find(job => job.Id == claimed.Record.Id)!;
                Assert.Equal((JobState.Ready, job.Key), (job.Status.State, claimed.Record.Key));
                (job.Status, job.Replica) = (claimed.Record.Status, replica);
                Claimed++;
            }
        }
    }

    private void Check(JobBatch batch)
    {
        _running.Clear();
        var total = 0;
        foreach (var job in _jobs)
        {
            if (job.Status.State == JobState.Running)
            {
                total++;
                Assert.True(_running.Add(job.Key), $"Seed {seed}, step {_step}: two jobs of the key '{job.Key}' run.");
            }
        }

        Assert.True(total <= MostTotal, $"Seed {seed}, step {_step}: {total} jobs run.");
        Full += total == MostTotal ? 1 : 0;
        if (batch.Claims.Count == 0)
        {
            return;
        }

        if (_isPaused)
        {
            Assert.All(batch.Claims, static claim => Assert.Empty(claim.Jobs));
        }
        else if (total < MostTotal && batch.Claims[^1] is var last && last.Jobs.Count < last.Slots)
        {
            var waiting = Where(JobState.Ready);
            Assert.True(waiting.TrueForAll(job => _running.Contains(job.Key)), $"Seed {seed}, step {_step}: a job waits whose key has room.");
            Assert.Equal(waiting.Count == 0, last.Kinds[0].IsEmpty);
            Blocked += waiting.Count > 0 ? 1 : 0;
        }
    }

    private sealed class SimulatedJob
    {
        public required Guid Id { get; init; }

        public required string Key { get; set; }

        public required JobStatus Status { get; set; }

        /// <summary>The one that claimed it last.</summary>
        public int Replica { get; set; }
    }
}
