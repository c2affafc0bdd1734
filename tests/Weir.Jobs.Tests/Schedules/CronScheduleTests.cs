using System.Globalization;
using Weir.Jobs.Schedules;

namespace Weir.Jobs.Tests.Schedules;

/// <summary>When schedules occur: changes of clocks, the last occurrence of a span, <c>H</c>, and what cannot be read.</summary>
public sealed class CronScheduleTests
{
    private static readonly DateTimeOffset NewYear = At("2026-01-01T00:00:00Z");

    public static TheoryData<string, string> Clocks
    {
        get
        {
            string[] zones = ["Europe/Berlin", "Africa/Cairo", "Australia/Lord_Howe", "Europe/Dublin", "Africa/Casablanca", "America/New_York", "America/St_Johns", "Asia/Gaza", "UTC"];
            string[] crons = ["30 2 * * *", "0 2 * * *", "15 2 * * *", "45 1 * * *", "30 0 * * *", "0 0 * * *", "30 23 * * *", "0 3 * * *", "*/15 * * * *", "0 * * * *", "20 */2 * * *", "15,45 0,1,2,3 * * *", "10-50/20 0-3 * * *", "0 0 1 * *", "30 2 * * 0"];
            return [.. zones.SelectMany(zone => crons.Select(cron => (zone, cron)))];
        }
    }

    [Theory]
    [MemberData(nameof(Clocks))]
    public void A_year_with_changes_of_the_clocks_has_each_occurrence_once(string zone, string cron)
    {
        var to = NewYear.AddYears(1);
        var expected = new CronOracle(cron, zone).Between(NewYear, to).ToArray();
        Assert.NotEmpty(expected);
        Assert.Equal(expected, Walk(CronSchedule.Parse("a", cron, zone), NewYear, to));
    }

    // Within the hour that is repeated, too.
    [Theory]
    [MemberData(nameof(Clocks))]
    public void The_next_occurrence_from_any_minute_beside_a_change_of_the_clocks_is_the_first_after_it(string zone, string cron)
    {
        var clocks = TimeZoneInfo.FindSystemTimeZoneById(zone);
        var schedule = CronSchedule.Parse("a", cron, zone);
        foreach (var hour in Enumerable.Range(0, 365 * 24).Select(static hour => NewYear.AddHours(hour)).Where(hour => clocks.GetUtcOffset(hour) != clocks.GetUtcOffset(hour.AddHours(1))))
        {
            var end = hour.AddDays(2);
            var expected = new CronOracle(cron, zone).Between(hour.AddHours(-3), end).ToArray();
            for (var minute = hour.AddHours(-2); minute < hour.AddHours(4); minute = minute.AddMinutes(1))
            {
                Assert.Equal(expected.FirstOrDefault(one => one > minute, end), schedule.Next(minute) is { } next && next < end ? next : end);
                Assert.Equal(expected.LastOrDefault(one => one <= minute, end), schedule.Last(hour.AddHours(-3), minute) ?? end);
            }
        }
    }

    // A change that summer has nothing to do with: the zone has another standard time from then on, or a day less.
    [Theory]
    [InlineData("Europe/Moscow", "2014-10-01T00:00:00Z", "30 1 * * *")]
    [InlineData("Europe/Moscow", "2014-10-01T00:00:00Z", "*/15 * * * *")]
    [InlineData("America/Caracas", "2016-04-10T00:00:00Z", "45 2 * * *")]
    [InlineData("Asia/Pyongyang", "2018-04-10T00:00:00Z", "45 23 * * *")]
    [InlineData("Pacific/Apia", "2011-12-10T00:00:00Z", "30 12 * * *")]
    [InlineData("Pacific/Apia", "2011-12-10T00:00:00Z", "0 */4 * * *")]
    public void A_change_of_the_standard_time_has_each_occurrence_once(string zone, string from, string cron)
    {
        var (start, end) = (At(from), At(from).AddDays(50));
        Assert.Equal(new CronOracle(cron, zone).Between(start, end), Walk(CronSchedule.Parse("a", cron, zone), start, end));
    }

    [Theory]
    [InlineData("Europe/Berlin", "30 2 * * *", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z")]
    [InlineData("Europe/Berlin", "30 2 * * *", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z")]
    [InlineData("Africa/Cairo", "30 0 * * *", "2026-04-23T12:00:00Z", "2026-04-23T22:00:00Z", "2026-04-24T21:30:00Z")]
    [InlineData("Africa/Cairo", "30 23 * * *", "2026-10-29T12:00:00Z", "2026-10-29T20:30:00Z", "2026-10-30T21:30:00Z")]
    [InlineData("Australia/Lord_Howe", "15 2 * * *", "2026-10-03T12:00:00Z", "2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z")]
    [InlineData("Australia/Lord_Howe", "45 1 * * *", "2026-04-04T12:00:00Z", "2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z")]
    public void A_time_that_the_clocks_skip_is_when_they_do_and_one_that_they_repeat_is_the_first(string zone, string cron, string after, string first, string second)
    {
        var schedule = CronSchedule.Parse("a", cron, zone);
        Assert.Equal(At(first), schedule.Next(At(after)));
        Assert.Equal(At(second), schedule.Next(At(first)));
    }

    [Theory]
    [InlineData("Europe/Berlin")]
    [InlineData("Africa/Cairo")]
    [InlineData("Australia/Lord_Howe")]
    public void Every_15_minutes_is_every_15_minutes_also_when_the_clocks_change(string zone)
    {
        var walked = Walk(CronSchedule.Parse("a", "*/15 * * * *", zone), NewYear, NewYear.AddYears(1));
        Assert.Equal(Enumerable.Range(0, 365 * 96).Select(static quarter => NewYear.AddMinutes(15 * quarter)), walked);
    }

    [Theory]
    [InlineData("@daily", "2026-01-02T00:00:00Z")]
    [InlineData("@Midnight", "2026-01-02T00:00:00Z")]
    [InlineData(" @hourly ", "2026-01-01T13:00:00Z")]
    [InlineData("@every_second", "2026-01-01T12:00:01Z")]
    [InlineData("*/20 * * * * *", "2026-01-01T12:00:20Z")]
    [InlineData("5  0\t12 * * *", "2026-01-01T12:00:05Z")]
    [InlineData("0 12 * * *", "2026-01-02T12:00:00Z")]
    [InlineData("0 0 29 2 *", "2028-02-29T00:00:00Z")]
    [InlineData("0 0 L * *", "2026-01-31T00:00:00Z")]
    public void Five_fields_six_fields_and_macros_are_read(string cron, string next) => Assert.Equal(At(next), CronSchedule.Parse("a", cron, "UTC").Next(At("2026-01-01T12:00:00Z")));

    [Fact]
    public void An_occurrence_is_on_a_whole_second_after_the_moment()
    {
        var schedule = CronSchedule.Parse("a", "* * * * * *", "Europe/Berlin");
        Assert.Equal(NewYear.AddSeconds(1), schedule.Next(NewYear));
        Assert.Equal(NewYear.AddSeconds(1), schedule.Next(NewYear.AddTicks(1)));
        Assert.Equal(NewYear.AddSeconds(1), schedule.Next(NewYear.AddSeconds(1).AddTicks(-1)));
        Assert.Equal(NewYear, schedule.Next(NewYear.AddTicks(-1).ToOffset(TimeSpan.FromHours(5))));
        Assert.Equal(TimeSpan.Zero, schedule.Next(NewYear.ToOffset(TimeSpan.FromHours(5)))!.Value.Offset);
    }

    [Fact]
    public void What_never_occurs_has_no_next_and_no_last()
    {
        var schedule = CronSchedule.Parse("a", "0 0 30 2 *", "Europe/Berlin");
        Assert.Null(schedule.Next(NewYear));
        Assert.Null(schedule.Last(NewYear.AddYears(-20), NewYear));
    }

    // Values of this version: another one must not move the schedules of an application.
    [Theory]
    [InlineData("nightly", "H H * * *", "2026-01-01T04:27:00Z")]
    [InlineData("Reports/Build", "H H * * *", "2026-01-01T17:33:00Z")]
    [InlineData("nightly", "H H H * * H", "2026-01-04T07:10:27Z")]
    public void H_is_the_same_in_every_process(string name, string cron, string next) => Assert.Equal(At(next), CronSchedule.Parse(name, cron, "UTC").Next(NewYear));

    [Fact]
    public void H_differs_by_name_and_not_by_its_case()
    {
        var minutes = Enumerable.Range(0, 1_000).Select(static number => CronSchedule.Parse($"report-{number}", "H * * * *", "UTC").Next(NewYear)!.Value.Minute).ToArray();
        Assert.Equal(60, minutes.Distinct().Count());
        Assert.InRange(minutes.GroupBy(static minute => minute).Max(static group => group.Count()), 1, 60);
        Assert.Equal(CronSchedule.Parse("Nightly", "H H * * *", "UTC").Next(NewYear), CronSchedule.Parse("nightly", "H H * * *", "UTC").Next(NewYear));
    }

    [Fact]
    public void A_day_at_a_time_that_H_chose_is_once_where_the_clocks_repeat_an_hour()
    {
        foreach (var name in Enumerable.Range(0, 40).Select(static number => $"{number}"))
        {
            Assert.Equal(365, Walk(CronSchedule.Parse(name, "H 2 * * *", "Europe/Berlin"), NewYear.AddHours(-1), NewYear.AddHours(-1).AddYears(1)).Count());
        }
    }

    [Theory]
    [InlineData("0 3 * *", "'0 3 * *' is no cron expression")]
    [InlineData("0 25 * * *", "between 0 and 23")]
    [InlineData("0 3 * * * * *", "is no cron expression")]
    [InlineData("@dayly", "'@dayly' is no cron expression")]
    [InlineData("", "is no cron expression")]
    [InlineData("nightly", "Write 5 fields")]
    public void What_is_no_cron_expression_is_refused_with_the_text_and_the_reason(string cron, string named)
    {
        var failure = Assert.Throws<ScheduleException>(() => CronSchedule.Parse("a", cron, "UTC"));
        Assert.Equal(ScheduleFault.Cron, failure.Fault);
        Assert.Contains(named, failure.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Europe/Berlyn")]
    [InlineData("")]
    [InlineData("../../../etc/passwd")]
    public void A_time_zone_that_is_not_known_is_another_fault(string zone)
    {
        var failure = Assert.Throws<ScheduleException>(() => CronSchedule.Parse("a", "0 3 * * *", zone));
        Assert.Equal(ScheduleFault.TimeZone, failure.Fault);
        Assert.Contains($"'{zone}'", failure.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("* * * * * *", "UTC")]
    [InlineData("* * * * * *", "Europe/Berlin")]
    public void The_last_second_of_twenty_years_is_found(string cron, string zone) =>
        Assert.Equal(NewYear, CronSchedule.Parse("a", cron, zone).Last(NewYear.AddYears(-20), NewYear.AddTicks(5)));

    [Fact]
    public void The_last_occurrence_of_a_span_includes_both_ends()
    {
        var schedule = CronSchedule.Parse("a", "0 3 * * *", "UTC");
        var three = At("2026-05-05T03:00:00Z");
        Assert.Equal(three, schedule.Last(three, three));
        Assert.Equal(three, schedule.Last(three, three.AddDays(1).AddTicks(-1)));
        Assert.Equal(three.AddDays(1), schedule.Last(three, three.AddDays(1)));
        Assert.Null(schedule.Last(three.AddTicks(1), three.AddDays(1).AddTicks(-1)));
        Assert.Null(schedule.Last(three.AddDays(1), three));
        Assert.Equal(At("2024-02-29T00:00:00Z"), CronSchedule.Parse("a", "0 0 29 2 *", "Europe/London").Last(At("1990-01-01T00:00:00Z"), three));
    }

    [Theory]
    [MemberData(nameof(Clocks))]
    public void The_last_occurrence_is_the_last_of_all_that_are_walked(string zone, string cron)
    {
        var random = new Random(39);
        var schedule = CronSchedule.Parse("a", cron, zone);
        var all = Walk(schedule, NewYear, NewYear.AddYears(1)).ToArray();
        for (var index = 0; index < 100; index++)
        {
            var from = NewYear.AddSeconds(random.NextInt64(365 * 86_400));
            var now = from.AddSeconds(random.NextInt64(1L << random.Next(24)));
            now = now < NewYear.AddYears(1) ? now : NewYear.AddYears(1).AddTicks(-1);
            var at = Array.BinarySearch(all, now) is var found && found >= 0 ? found : ~found - 1;
            Assert.Equal(at >= 0 && all[at] >= from ? all[at] : null, schedule.Last(from, now));
        }
    }

    /// <summary>The occurrences at or after a moment and before another, one after the other.</summary>
    private static IEnumerable<DateTimeOffset> Walk(CronSchedule schedule, DateTimeOffset from, DateTimeOffset to)
    {
        for (var at = schedule.Next(from.AddTicks(-1)); at < to; at = schedule.Next(at.Value))
        {
            yield return at.Value;
        }
    }

    private static DateTimeOffset At(string text) => DateTimeOffset.Parse(text, CultureInfo.InvariantCulture);
}
