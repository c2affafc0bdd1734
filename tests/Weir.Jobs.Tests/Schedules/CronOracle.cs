namespace Weir.Jobs.Tests.Schedules;

/// <summary>
/// The occurrences of a cron expression of 5 fields, found by looking at the clocks of a time zone minute by minute: numbers, lists, ranges and steps. It shares nothing with the code that it judges.
/// </summary>
internal sealed class CronOracle
{
    private readonly bool[][] _fields;
    private readonly bool _isInterval;
    private readonly TimeZoneInfo _zone;

    public CronOracle(string cron, string zone)
    {
        var fields = cron.Split(' ');
        (int Least, int Most)[] ranges = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 6)];
        _fields = [.. fields.Select((field, index) => Values(field, ranges[index].Least, ranges[index].Most))];
        _isInterval = fields[..2].Any(static field => field.IndexOfAny(['*', '-', '/']) >= 0);
        _zone = TimeZoneInfo.FindSystemTimeZoneById(zone);
    }

    /// <summary>The occurrences at or after a minute and before another.</summary>
    public IEnumerable<DateTimeOffset> Between(DateTimeOffset from, DateTimeOffset to)
    {
        var shown = DateTime.MinValue;
        DateTime? before = null;
        for (var instant = from.AddDays(-1); instant < to; instant = instant.AddMinutes(1))
        {
            var local = instant.UtcDateTime + _zone.GetUtcOffset(instant);
            var occurs = Matches(local) && (_isInterval || local > shown);

            // The clocks went forward: what they skipped is now.
            for (var skipped = before?.AddMinutes(1); skipped < local && !occurs; skipped = skipped.Value.AddMinutes(1))
            {
                occurs = Matches(skipped.Value);
            }

            before = local;
            shown = local > shown ? local : shown;
            if (occurs && instant >= from)
            {
                yield return instant;
            }
        }
    }

    private bool Matches(DateTime local) =>
        _fields[0][local.Minute] && _fields[1][local.Hour] && _fields[2][local.Day] && _fields[3][local.Month] && _fields[4][(int)local.DayOfWeek];

    private static bool[] Values(string field, int least, int most)
    {
        var values = new bool[most + 1];
        foreach (var part in field.Split(','))
        {
            var (range, step) = part.Split('/') is [var left, var right] ? (left, int.Parse(right)) : (part, 1);
            var (low, high) = range == "*" ? (least, most)
                : range.Split('-') is [var first, var last] ? (int.Parse(first), int.Parse(last))
                : (int.Parse(range), step > 1 ? most : int.Parse(range));
            for (var value = low; value <= high; value += step)
            {
                values[value] = true;
            }
        }

        return values;
    }
}
