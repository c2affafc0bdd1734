using Cronos;
using Weir.Generator.Parsing.Services;
using Xunit;

namespace Weir.Generator.Tests.Services;

/// <summary>Which cron expressions a build refuses, and what it says.</summary>
public sealed class CronRulesTests
{
    [Theory]
    [InlineData("0 3 * * *")]
    [InlineData("  0\t3 * * *  ")]
    [InlineData("*/15 * * * * *")]
    [InlineData("0 0 29 2 *")]
    [InlineData("0 0 * 2 MON#5")]
    [InlineData("0 0 L-3W * ?")]
    [InlineData("0 0 * JAN,MAR-MAY fri-mon")]
    [InlineData("H H * * *")]
    [InlineData("H/15 * * * *")]
    [InlineData("H H H H H H")]
    [InlineData("0 0 31 H *")]
    [InlineData("@every_second")]
    [InlineData("@every_minute")]
    [InlineData("@hourly")]
    [InlineData("@Daily")]
    [InlineData("@midnight")]
    [InlineData("@weekly")]
    [InlineData("@monthly")]
    [InlineData("@yearly")]
    [InlineData("@annually")]
    public void What_occurs_is_accepted(string cron) => Assert.Null(CronRules.Wrong(cron));

    [Theory]
    [InlineData("60 * * * *", "is none: Minutes: Value must be a number between 0 and 59")]
    [InlineData("0 24 * * *", "is none: Hours: Value must be a number between 0 and 23")]
    [InlineData("0 0 0 * *", "is none: Days of month: Value must be a number between 1 and 31")]
    [InlineData("0 0 * 13 *", "is none: Months: Value must be a number between 1 and 12")]
    [InlineData("0 0 * * MOON", "is none: Days of week: Value must be a number between 0 and 7")]
    [InlineData("60 0 0 * * *", "is none: Seconds: Value must be a number between 0 and 59")]
    [InlineData("*/0 * * * *", "is none: Minutes: Value must be a number between 1 and 59")]
    [InlineData("H(0-5) * * * *", "is none: Minutes: Unexpected character '('")]
    [InlineData("@reboot", "is none: Macro: Unexpected character 'r' on position 1; write @every_second, @every_minute, @hourly, @daily, @weekly, @monthly or @yearly")]
    [InlineData("0 3 * *", "has 4 fields; write minute, hour, day of the month, month and day of the week, such as \"0 3 * * *\", or six fields with the second first, or a macro such as \"@daily\"")]
    [InlineData("daily", "has 1 field; write")]
    [InlineData("0 0 3 * * * 2026", "has 7 fields")]
    [InlineData("0 0 30 2 *", "'0 0 30 2 *', never occurs: no month that it names has such a day; correct the day or the month")]
    [InlineData("0 0 31 2,4,6,9,11 *", "never occurs")]
    [InlineData("0 0 0 31W 2 *", "never occurs")]
    [InlineData("0 0 L-29 2 *", "never occurs")]
    [InlineData("H H 30 2 *", "never occurs")]
    [InlineData("0 3 * * *\n", "has a control character")]
    [InlineData("0 3 * * *\0", "has a control character")]
    [InlineData("", "is empty; write minute, hour")]
    [InlineData(" \t", "is empty")]
    [InlineData(null, "is null")]
    public void What_is_none_or_never_occurs_is_refused_with_the_field_and_the_reason(string? cron, string expected) =>
        Assert.Contains(expected, CronRules.Wrong(cron), StringComparison.Ordinal);

    /// <summary>A build must not refuse what runs, nor accept what does not: also of expressions that only look right.</summary>
    [Fact]
    public void What_is_accepted_has_an_occurrence_at_run_time_and_what_is_refused_has_none()
    {
        var random = new Random(39);
        var (accepted, refused) = (0, 0);
        for (var round = 0; round < 10_000; round++)
        {
            var cron = Expression(random);
            var isRight = CronExpression.TryParse(cron, cron.Split(' ').Length == 6 ? CronFormat.IncludeSeconds : CronFormat.Standard, out var parsed)
                && parsed.GetNextOccurrence(new DateTime(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc)) is not null;
            Assert.True(isRight == CronRules.Wrong(cron) is null, $"'{cron}'");
            _ = isRight ? accepted++ : refused++;
        }

        Assert.True(accepted > 1000 && refused > 1000, $"{accepted} were accepted and {refused} were refused.");
    }

    private static string Expression(Random random)
    {
        string[] fields = [Field(random, 0, 59), Field(random, 0, 59), Field(random, 0, 23), Day(random), Month(random), DayOfWeek(random)];
        return string.Join(' ', fields.Skip(random.Next(2)));
    }

    // Now and then a value beside the range.
    private static int Value(Random random, int first, int last) => random.Next(30) == 0 ? last + 1 + random.Next(3) : random.Next(first, last + 1);

    private static string Field(Random random, int first, int last) => random.Next(6) switch
    {
        0 or 1 => "*",
        2 => $"*/{Value(random, 0, last)}",
        3 => $"{Value(random, first, last)}-{Value(random, first, last)}",
        4 => $"{Value(random, first, last)},{Value(random, first, last)}-{Value(random, first, last)}/{Value(random, 1, last)}",
        _ => $"{Value(random, first, last)}",
    };

    private static string Day(Random random) => random.Next(7) switch
    {
        0 => "L",
        1 => "LW",
        2 => $"L-{Value(random, 0, 30)}",
        3 => $"{Value(random, 1, 31)}W",
        4 => $"{random.Next(29, 32)}",
        5 => "?",
        _ => Field(random, 1, 31),
    };

    private static string Month(Random random) => random.Next(4) switch { 0 => "FEB", 1 => "2", 2 => $"JAN-{Value(random, 1, 12)}", _ => Field(random, 1, 12) };

    private static string DayOfWeek(Random random) => random.Next(5) switch
    {
        0 => "*",
        1 => $"MON#{Value(random, 1, 5)}",
        2 => $"{Value(random, 0, 7)}L",
        3 => "FRI-MON",
        _ => Field(random, 0, 7),
    };
}
