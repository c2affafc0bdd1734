using System.Text;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Storage;

/// <summary>
/// A sequence of batches drawn from a seed, in which each one depends on what the commits before it answered. The same batch can be made for several stores. Times differ by a tick at
/// least, so that no order is left open.
/// </summary>
internal sealed class RandomBatches(int seed)
{
    private static readonly string[] Kinds = ["a", "b", "c"];
    private static readonly string[] Keys = ["", "k", "l", "m", "🌊"];

    private static readonly string[] Schedules = ["nightly", "hourly", "weekly"];

    private static readonly JobTraits[] Traits = [new(), new() { Attempts = 3 }, new() { IsIdempotent = true, Attempts = 5 }];

    // What people and clocks do, and what attempts report; success is drawn more often.
    private static readonly JobEvent[] Controls =
        [JobEvent.CancelAsked, JobEvent.TimedOut, JobEvent.Expired, JobEvent.RetriedByHand, JobEvent.RetriedByHand, JobEvent.ArgumentsEdited, JobEvent.Purged];

    private static readonly JobEvent[] Reports =
    [
        JobEvent.Succeeded, JobEvent.Succeeded, JobEvent.Succeeded, JobEvent.Threw, JobEvent.Threw, JobEvent.Answered, JobEvent.AskedForRetry, JobEvent.Crashed,
        JobEvent.OwnerLost, JobEvent.OwnerLost, JobEvent.NotStarted, JobEvent.Quarantined, JobEvent.NotUnderstood, JobEvent.Drained,
    ];

    private readonly List<(Guid Id, long Fence)> _attempts = [];
    private readonly Dictionary<string, JobTurn> _turns = new(StringComparer.Ordinal);
    private readonly Dictionary<string, ScheduleRecord> _schedules = new(StringComparer.Ordinal);
    private DateTimeOffset _now = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);
    private int _number;
    private long _ticks;

    /// <summary>All jobs that were accepted, also those that are purged.</summary>
    public List<Guid> Ids { get; } = [];

    /// <summary>The next batch, as often as it is needed.</summary>
    public JobBatch[] Next(int copies)
    {
        _number++;
        _now += TimeSpan.FromSeconds(new Random(seed + _number).Next(20));
        var ticks = _ticks;
        return [.. Enumerable.Range(0, copies).Select(_ =>
        {
            _ticks = ticks;
            return Make(new Random(seed + _number));
        })];
    }

    /// <summary>Learns from what a commit answered.</summary>
    public void Learn(JobBatch batch)
    {
        foreach (var job in batch.Jobs.Where(static job => job.Existing is null))
        {
            Ids.Add(job.Id);
            _attempts.Add((job.Id, job.Claimed?.Record.Status.Fence ?? 1));
        }

        foreach (var schedule in batch.Schedules ?? [])
        {
            _schedules[schedule.Name] = schedule.Record!;
        }

        foreach (var change in batch.ScheduleChanges)
        {
            if (change.Record is { } record)
            {
                _schedules[change.Name] = record;
            }

            if (change is { IsApplied: true, IsSkipped: false, Job: { Existing: null } job })
            {
                Ids.Add(job.Id);
                _attempts.Add((job.Id, job.Claimed?.Record.Status.Fence ?? 1));
            }
        }

        foreach (var claim in batch.Claims)
        {
            _attempts.AddRange(claim.Jobs.Select(static job => (job.Record.Id, job.Record.Status.Fence)));
            foreach (var kind in claim.Kinds)
            {
                _turns[kind.Kind] = kind.Turn;
            }
        }
    }

    private static T Draw<T>(Random random, T[] from) => from[random.Next(from.Length)];

    private static ReadOnlyMemory<byte> Bytes(Random random, int most)
    {
        var bytes = new byte[random.Next(most)];
        random.NextBytes(bytes);
        return bytes;
    }

    private static Guid Id(Random random)
    {
        var bytes = new byte[16];
        random.NextBytes(bytes);
        return new Guid(bytes);
    }

    private DateTimeOffset At(double seconds = 0) => _now.AddSeconds(Math.Floor(seconds)).AddTicks(++_ticks);

    private JobBatch Make(Random random)
    {
        var batch = new JobBatch(_now) { MovesDue = random.Next(2) == 0 };
        for (var count = random.Next(3); count > 0; count--)
        {
            var (id, fence) = Attempt(random);
            batch.Items.Add(new NewItems { Id = id, Fence = fence, Items = [.. Enumerable.Range(0, random.Next(1, 4)).Select(_ => Bytes(random, 2_000))] });
        }

        for (var count = random.Next(3); count > 0; count--)
        {
            var (id, fence) = Attempt(random);
            batch.Progress.Add(new NewProgress(id, fence, new JobProgress(random.NextDouble(), random.Next(2) == 0 ? null : $"step {random.Next(100)}")));
        }

        for (var count = random.Next(7); count > 0; count--)
        {
            var (id, fence) = Attempt(random);
            batch.Actions.Add(new JobAction
            {
                Id = id,
                Happened = random.Next(3) == 0 ? Draw(random, Controls) : Draw(random, Reports),
                Kind = Draw(random, Traits),
                Moment = new JobMoment(At(), random.NextDouble()) { Fence = fence, Due = random.Next(3) == 0 ? At(random.Next(60)) : null },
                Payload = Bytes(random, random.Next(50) == 0 ? 400_000 : 100),
                Signature = (ulong)random.NextInt64(),
                Key = random.Next(2) == 0 ? Draw(random, Keys) : null,
            });
        }

        for (var count = random.Next(6); count > 0; count--)
        {
            batch.Jobs.Add(Submission(random));
        }

        if (random.Next(10) == 0)
        {
            batch.Pauses.Add(new KindPause(Draw(random, Kinds), random.Next(2) == 0));
        }

        if (random.Next(20) == 0)
        {
            batch.Schedules = [.. Schedules.Where(_ => random.Next(3) != 0).Select(name => new ScheduleDeclaration
            {
                Name = name, Kind = Draw(random, Kinds), Cron = $"{random.Next(2)}", TimeZone = "UTC", Source = (JobScheduleSource)random.Next(2), First = random.Next(5) == 0 ? null : At(random.Next(60)),
            })];
        }

        for (var count = random.Next(3); count > 0; count--)
        {
            var name = Draw(random, Schedules);
            batch.ScheduleChanges.Add(new ScheduleChange
            {
                Name = name,
                Expected = random.Next(5) == 0 ? At() : _schedules.GetValueOrDefault(name)?.Next,
                Next = random.Next(10) == 0 ? null : At(random.Next(60)),
                IsPaused = random.Next(5) == 0 ? random.Next(2) == 0 : null,
                Job = random.Next(4) == 0 ? null : Submission(random),
                SkipsWhileOpen = random.Next(2) == 0,
            });
        }

        for (var count = random.Next(3); count > 0; count--)
        {
            batch.Claims.Add(new JobClaim { Slots = random.Next(4), Kinds = Claims(random) });
        }

        return batch;
    }

    // Mostly of the last ones, so that much happens to each.
    private (Guid Id, long Fence) Attempt(Random random)
    {
        if (_attempts.Count == 0 || random.Next(50) == 0)
        {
            return (Id(random), 1);
        }

        var (id, fence) = _attempts[random.Next(random.Next(4) == 0 ? 0 : Math.Max(0, _attempts.Count - 20), _attempts.Count)];
        return (id, random.Next(20) == 0 ? fence + 1 : fence);
    }

    private NewJob Submission(Random random) => new()
    {
        Id = Id(random),
        Kind = Draw(random, Kinds),
        Signature = (ulong)random.NextInt64(),
        Arguments = Bytes(random, random.Next(50) == 0 ? 400_000 : 200),
        Submitted = At(),
        Due = At(random.Next(3) == 0 ? random.Next(60) : -1),
        Expires = random.Next(5) == 0 ? At(random.Next(90)) : null,
        Priority = (JobPriority)random.Next(-1, 2),
        Key = Draw(random, Keys),
        Owner = Draw(random, [null, "o", "p"]),
        IdempotencyKey = random.Next(3) == 0 ? $"{random.Next(20)}" : null,
        UniqueUntil = (JobUniqueness)random.Next(2),
        Fingerprint = (ulong)random.Next(2),
        Starts = random.Next(4) == 0,
        Limits = random.Next(2) == 0 ? new KindLimits(random.Next(1, 3), random.Next(2, 6)) : null,
        TraceParent = random.Next(2) == 0 ? Convert.ToHexString(Encoding.UTF8.GetBytes($"{random.Next()}")) : null,
    };

    private KindClaim[] Claims(Random random)
    {
        var kinds = Kinds.ToArray();
        random.Shuffle(kinds);
        return [.. kinds.Take(random.Next(1, 4)).Select(kind => new KindClaim { Kind = kind, Slots = random.Next(4), Limits = random.Next(2) == 0 ? new KindLimits(random.Next(2) == 0 ? random.Next(1, 3) : null, random.Next(3) == 0 ? random.Next(1, 5) : null) : null, Turn = _turns.GetValueOrDefault(kind) })];
    }
}
