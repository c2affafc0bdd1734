using System.Collections.Concurrent;
using Weir.Jobs.Schedules;

namespace Weir.Jobs.Tests.Schedules;

/// <summary>Several replicas propose occurrences of one schedule, and the stored one is replaced by compare-and-swap: one job for each.</summary>
public sealed class ScheduleReplicaTests
{
    private const int Occurrences = 10_000;

    private static readonly DateTimeOffset Start = new(2026, 3, 28, 0, 0, 0, TimeSpan.Zero);
    private static readonly CronSchedule Schedule = CronSchedule.Parse("minutely", "* * * * *", "Europe/Berlin");

    [Fact]
    public void Two_replicas_at_once_make_one_job_of_each_of_10_000_occurrences()
    {
        var row = new Row();
        using var together = new Barrier(2);
        var threads = Enumerable.Range(0, 2).Select(replica => new Thread(() =>
        {
            for (var minute = 0; minute < Occurrences; minute++)
            {
                // Their clocks differ.
                var now = Start.AddMinutes(minute + 1).AddMilliseconds(300 * replica);
                together.SignalAndWait();
                row.Replace(row.Read(now));
            }
        })).ToArray();
        foreach (var thread in threads)
        {
            thread.Start();
        }

        foreach (var thread in threads)
        {
            thread.Join();
        }

        Assert.Equal(Enumerable.Range(1, Occurrences).Select(static minute => Start.AddMinutes(minute)), row.Jobs.Order());
        Assert.Equal(Start.AddMinutes(Occurrences + 1), row.Next);
    }

    [Fact]
    public void Each_interleaving_of_two_replicas_makes_one_job()
    {
        // What both read is stale for the one that writes last.
        var row = new Row();
        for (var minute = 1; minute <= Occurrences; minute++)
        {
            var now = Start.AddMinutes(minute);
            var (first, second) = (row.Read(now), row.Read(now.AddSeconds(10)));
            Assert.NotEqual(row.Replace(first), row.Replace(minute % 2 == 0 ? second : first));
        }

        Assert.Equal(Enumerable.Range(1, Occurrences).Select(static minute => Start.AddMinutes(minute)), row.Jobs);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public void Replicas_that_restart_at_random_moments_make_one_job_of_each_occurrence_at_which_one_of_them_runs(int seed)
    {
        var random = new Random(seed);
        var row = new Row();
        var replicas = new Replica[] { new(), new() };
        var taken = new List<DateTimeOffset>();
        var certain = new HashSet<DateTimeOffset>();
        for (var now = Start; now < Start.AddDays(5); now = now.AddSeconds(10))
        {
            var minute = now.AddSeconds(-now.Second);
            foreach (var replica in replicas)
            {
                if (now < replica.Back)
                {
                    continue;
                }

                // One that dies between its decision and its write has done nothing; one that comes back reads again.
                if (random.Next(50) == 0)
                {
                    (replica.Back, replica.Proposal, replica.Cycles) = (now.AddSeconds(random.Next(1, 600)), null, 0);
                    continue;
                }

                if (replica.Proposal is not { } proposal)
                {
                    (replica.Proposal, replica.ReadAt) = (row.Read(now), now);
                    continue;
                }

                replica.Proposal = null;
                if (row.Replace(proposal))
                {
                    taken.Add(replica.ReadAt.AddSeconds(-replica.ReadAt.Second));
                }

                // The first write of a minute may lose against a decision of the minute before, and the second one against none.
                replica.Cycles = replica.ReadAt < minute ? 0 : replica.CycleMinute == minute ? replica.Cycles + 1 : 1;
                replica.CycleMinute = minute;
                if (replica.Cycles == 2 && minute > Start)
                {
                    certain.Add(minute);
                }
            }
        }

        Assert.Equal(taken, row.Jobs);
        Assert.Equal(taken.Distinct().Order(), taken);
        Assert.InRange(certain.Count, 1_000, 5 * 1_440);
        Assert.Subset(taken.ToHashSet(), certain);
        Assert.True(taken.Count < (5 * 1_440) - 1, "Both replicas are never away at once: the test shows too little.");
    }

    private sealed class Replica
    {
        public DateTimeOffset Back { get; set; }

        public DateTimeOffset ReadAt { get; set; }

        public Row.Proposal? Proposal { get; set; }

        public DateTimeOffset CycleMinute { get; set; }

        public int Cycles { get; set; }
    }

    /// <summary>A stored schedule: the next occurrence, and the jobs that were inserted with its changes.</summary>
    private sealed class Row
    {
        private readonly ConcurrentQueue<DateTimeOffset> _jobs = [];
        private long _next = ScheduleRules.First(Schedule, Start)!.Value.UtcTicks;

        public ConcurrentQueue<DateTimeOffset> Jobs => _jobs;

        public DateTimeOffset Next => new(Interlocked.Read(ref _next), TimeSpan.Zero);

        public Proposal Read(DateTimeOffset now)
        {
            var next = Next;
            return new Proposal(next, ScheduleRules.Decide(Schedule, next, now, ScheduleMisfire.Once, TimeSpan.FromDays(1)));
        }

        public bool Replace(Proposal proposal)
        {
            if (!proposal.Decision.IsDue || Interlocked.CompareExchange(ref _next, proposal.Decision.NewNext!.Value.UtcTicks, proposal.Read.UtcTicks) != proposal.Read.UtcTicks)
            {
                return false;
            }

            if (proposal.Decision.Run is { } run)
            {
                _jobs.Enqueue(run);
            }

            return true;
        }

        public sealed record Proposal(DateTimeOffset Read, ScheduleDecision Decision);
    }
}
