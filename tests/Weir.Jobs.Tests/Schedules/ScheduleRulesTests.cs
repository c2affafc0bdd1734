using System.Globalization;
using Weir.Jobs.Schedules;

namespace Weir.Jobs.Tests.Schedules;

/// <summary>What is due of a schedule: missed occurrences, clocks that are set, and invariants over random schedules.</summary>
public sealed class ScheduleRulesTests
{
    private static readonly TimeSpan Day = TimeSpan.FromDays(1);
    private static readonly DateTimeOffset Three = new(2026, 5, 5, 3, 0, 0, TimeSpan.Zero);
    private static readonly CronSchedule Daily = CronSchedule.Parse("daily", "0 3 * * *", "UTC");
    private static readonly CronSchedule Minutely = CronSchedule.Parse("minutely", "* * * * *", "UTC");

    // Stored next: 2026-05-05 03:00. run and next are times after it; "-" is none.
    [Theory]
    [InlineData(ScheduleMisfire.Once, "1.00:00:00", "-00:00:00.001", false, "-", "00:00:00", false)]
    [InlineData(ScheduleMisfire.Once, "1.00:00:00", "00:00:00", true, "00:00:00", "1.00:00:00", false)]
    [InlineData(ScheduleMisfire.Once, "1.00:00:00", "00:01:00", true, "00:00:00", "1.00:00:00", false)]
    [InlineData(ScheduleMisfire.Once, "00:00:00", "00:01:00", true, "00:00:00", "1.00:00:00", false)]
    [InlineData(ScheduleMisfire.Skip, "1.00:00:00", "00:01:00", true, "00:00:00", "1.00:00:00", false)]
    [InlineData(ScheduleMisfire.Skip, "1.00:00:00", "00:01:00.001", true, "-", "1.00:00:00", true)]
    [InlineData(ScheduleMisfire.Once, "00:00:00", "00:01:00.001", true, "-", "1.00:00:00", true)]
    [InlineData(ScheduleMisfire.Once, "1.00:00:00", "00:01:00.001", true, "00:00:00", "1.00:00:00", true)]
    [InlineData(ScheduleMisfire.Once, "02:00:00", "02:00:00", true, "00:00:00", "1.00:00:00", true)]
    [InlineData(ScheduleMisfire.Once, "02:00:00", "02:00:00.001", true, "-", "1.00:00:00", true)]
    [InlineData(ScheduleMisfire.Once, "1.00:00:00", "10.05:00:00", true, "10.00:00:00", "11.00:00:00", true)]
    [InlineData(ScheduleMisfire.Once, "02:00:00", "10.05:00:00", true, "-", "11.00:00:00", true)]
    [InlineData(ScheduleMisfire.Skip, "1.00:00:00", "10.05:00:00", true, "-", "11.00:00:00", true)]
    [InlineData(ScheduleMisfire.Skip, "1.00:00:00", "10.00:00:30", true, "10.00:00:00", "11.00:00:00", false)]
    public void A_missed_occurrence_is_run_once_within_its_window_or_skipped(ScheduleMisfire misfire, string window, string now, bool isDue, string run, string next, bool isMissed)
    {
        var decision = ScheduleRules.Decide(Daily, Three, Three + Time(now), misfire, Time(window));
        Assert.Equal((isDue, isMissed), (decision.IsDue, decision.IsMissed));
        Assert.Equal(run == "-" ? null : Three + Time(run), decision.Run);
        Assert.Equal(Three + Time(next), decision.NewNext);
        Assert.Equal(decision.Last > Three, decision.HasEarlier);
    }

    [Fact]
    public void What_is_due_together_is_one_run_of_the_last()
    {
        var decision = ScheduleRules.Decide(Minutely, Three, Three.AddMinutes(90).AddSeconds(20), ScheduleMisfire.Once, Day);
        Assert.Equal(
            new ScheduleDecision { IsDue = true, Run = Three.AddMinutes(90), NewNext = Three.AddMinutes(91), Last = Three.AddMinutes(90), Late = TimeSpan.FromSeconds(20), HasEarlier = true }, decision);
    }

    [Theory]
    [InlineData("01:00:00")]
    [InlineData("1.00:00:00")]
    public void A_clock_that_is_set_back_repeats_no_occurrence(string back)
    {
        var runs = new List<DateTimeOffset>();
        var next = ScheduleRules.First(Minutely, Three.AddSeconds(-1));

        // Two hours, then the clock is set back, then until it is two hours after where it was.
        var end = Three.AddHours(2);
        Run(Three, end);
        Run(end - Time(back), end.AddHours(2));
        Assert.Equal(Enumerable.Range(0, 240).Select(static minute => Three.AddMinutes(minute)), runs);

        void Run(DateTimeOffset from, DateTimeOffset to)
        {
            for (var now = from; now < to; now = now.AddSeconds(20))
            {
                next = Take(Minutely, next, now, runs);
            }
        }
    }

    [Theory]
    [InlineData("01:00:00")]
    [InlineData("1.00:00:00")]
    public void A_clock_that_is_set_forward_skips_to_the_last_occurrence_and_goes_on(string forward)
    {
        var runs = new List<DateTimeOffset>();
        var next = ScheduleRules.First(Minutely, Three.AddSeconds(-1));
        next = Take(Minutely, next, Three, runs);
        var now = Three + Time(forward);
        next = Take(Minutely, next, now.AddSeconds(5), runs);
        next = Take(Minutely, next, now.AddSeconds(65), runs);
        Assert.Equal([Three, now, now.AddMinutes(1)], runs);
        Assert.Equal(now.AddMinutes(2), next);

        // It was wrong, and is set back: nothing is run until then.
        Assert.Equal(next, Take(Minutely, next, Three.AddMinutes(5), runs));
        Assert.Equal(3, runs.Count);
    }

    [Fact]
    public void The_first_occurrence_of_a_new_schedule_is_after_now()
    {
        Assert.Equal(Three.AddDays(1), ScheduleRules.First(Daily, Three));
        Assert.Equal(Three, ScheduleRules.First(Daily, Three.AddTicks(-1)));
        Assert.Null(ScheduleRules.First(CronSchedule.Parse("never", "0 0 31 4 *", "UTC"), Three));
    }

    [Fact]
    public void A_stored_moment_that_is_no_occurrence_any_more_moves_and_runs_nothing() =>
        Assert.Equal(new ScheduleDecision { IsDue = true, NewNext = Three }, ScheduleRules.Decide(Daily, Three.AddHours(-1), Three.AddMinutes(-59), ScheduleMisfire.Once, Day));

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Whatever_the_schedule_and_the_clock_the_decision_is_between_the_stored_occurrence_and_now(int seed)
    {
        var random = new Random(seed);
        for (var index = 0; index < 2_000; index++)
        {
            var schedule = RandomSchedules.Next(random);
            var start = Three.AddSeconds(random.NextInt64(-20_000_000, 20_000_000));
            if (ScheduleRules.First(schedule, start) is not { } next)
            {
                continue;
            }

            var now = next.AddMilliseconds(random.NextInt64(-(1L << random.Next(36)), 1L << random.Next(36)));
            var misfire = (ScheduleMisfire)random.Next(2);
            var window = TimeSpan.FromSeconds(random.NextInt64(1L << random.Next(25)));
            var decision = ScheduleRules.Decide(schedule, next, now, misfire, window);
            Assert.True(next > start);
            Assert.Equal(now >= next, decision.IsDue);
            if (!decision.IsDue)
            {
                Assert.Equal(new ScheduleDecision { NewNext = next }, decision);
                continue;
            }

            // The last occurrence is one, is due, and no other lies between it and now.
            var last = decision.Last!.Value;
            Assert.InRange(last, next, now);
            Assert.Equal(last, schedule.Next(last.AddTicks(-1)));
            Assert.Equal(decision.NewNext, schedule.Next(last));
            Assert.True(decision.NewNext is null || (decision.NewNext > now && decision.NewNext > next));
            Assert.Equal(now - last, decision.Late);
            Assert.Equal(last > next, decision.HasEarlier);
            var runs = decision.Late <= TimeSpan.FromMinutes(1) || (misfire == ScheduleMisfire.Once && decision.Late <= window);
            Assert.Equal(runs ? last : null, decision.Run);

            // What was decided is not due again.
            Assert.False(decision.NewNext is { } taken && ScheduleRules.Decide(schedule, taken, now, misfire, window).IsDue);
        }
    }

    private static DateTimeOffset? Take(CronSchedule schedule, DateTimeOffset? next, DateTimeOffset now, List<DateTimeOffset> runs)
    {
        var decision = ScheduleRules.Decide(schedule, next!.Value, now, ScheduleMisfire.Once, Day);
        if (decision.Run is { } run)
        {
            runs.Add(run);
        }

        return decision.NewNext;
    }

    private static TimeSpan Time(string text) => TimeSpan.Parse(text, CultureInfo.InvariantCulture);
}
