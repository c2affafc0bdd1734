using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;
using Cronos;

namespace Weir.Jobs.Schedules;

/// <summary>When a schedule occurs: a cron expression in a time zone. Immutable.</summary>
/// <remarks>
/// Cronos reads the expression and enumerates the local times that match it; <see cref="LocalClock"/> maps them to instants. Cronos' own mapping repeats an occurrence without end where a zone's standard time
/// is its summer time (Europe/Dublin, Africa/Casablanca) or changes, and its search backwards finds times beside a change of clocks that its search forwards does not.
/// </remarks>
internal sealed class CronSchedule
{
    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    private readonly CronExpression _expression;
    private readonly LocalClock _clock;

    // Whether it occurs every so often, and not at fixed times of the day: then both passes of an hour that is repeated count.
    private readonly bool _isInterval;

    private CronSchedule(string cron, CronExpression expression, string timeZone, TimeZoneInfo zone)
    {
        Cron = cron;
        TimeZone = timeZone;
        _expression = expression;
        _clock = new LocalClock(zone);
        _isInterval = IsInterval(cron);
    }

    /// <summary>The cron text.</summary>
    public string Cron { get; }

    /// <summary>The id of the time zone.</summary>
    public string TimeZone { get; }

    /// <summary>Reads a schedule.</summary>
    /// <param name="name">The schedule's name: what <c>H</c> stands for depends on it, without regard to case, and is the same in every process.</param>
    /// <param name="cron">5 fields, 6 with the seconds first, or a macro as <c>@daily</c>.</param>
    /// <param name="timeZone">The id of a time zone, as <c>UTC</c> or <c>Europe/Berlin</c>.</param>
    /// <exception cref="ScheduleException">It is no cron expression, or the time zone is not known.</exception>
    public static CronSchedule Parse(string name, string cron, string timeZone)
    {
        var expression = Read(name, cron);
        return TimeZoneInfo.TryFindSystemTimeZoneById(timeZone, out var zone)
            ? new CronSchedule(cron, expression, timeZone, zone)
            : throw new ScheduleException(
                ScheduleFault.TimeZone, $"The time zone '{timeZone}' is not known on this machine; write an id of the IANA database, as in Europe/Berlin, or install the database (the package tzdata).");
    }

    /// <summary>The first occurrence after a moment, in UTC and on a whole second.</summary>
    /// <returns><c>null</c> where it never occurs again.</returns>
    public DateTimeOffset? Next(DateTimeOffset after) => Next(after, DateTimeOffset.MaxValue);

    /// <summary>The last occurrence of a span of time, in UTC. Its cost grows with the logarithm of the number of occurrences.</summary>
    /// <param name="from">The first moment of it.</param>
    /// <param name="now">The last moment of it.</param>
    /// <returns><c>null</c> where there is none.</returns>
    public DateTimeOffset? Last(DateTimeOffset from, DateTimeOffset now)
    {
        if (from > now)
        {
            return null;
        }

        // Twice as far back each time, until one is found.
        DateTimeOffset? found = null;
        var none = now;
        var before = from - TimeSpan.FromTicks(1);
        for (var back = Second; found is null && none > before; back *= 2)
        {
            var start = none - before > back ? none - back : before;
            found = Next(start, none);
            none = found is null ? start : none;
        }

        // A later one lies between what was found and what is known to be behind the last.
        while (found is { } known && Next(known, none) is { } later)
        {
            found = later;
            var middle = later + ((none - later) / 2);
            if (Next(middle, none) is { } beyond)
            {
                found = beyond;
            }
            else
            {
                none = middle;
            }
        }

        return found;
    }

    // The first occurrence after a moment and not after the last moment.
    private DateTimeOffset? Next(DateTimeOffset after, DateTimeOffset last)
    {
        var (start, end) = (WholeSecond(after), WholeSecond(last));
        var offset = _clock.OffsetAt(start);
        var local = start + offset + Second;

        // A local time that the clocks have shown before they went back is no occurrence again.
        var floor = _isInterval ? DateTime.MinValue : _clock.LatestLocal(start);
        while (Match(local > floor ? local : floor) is { } match)
        {
            var instant = match - offset;
            if (_clock.NextChange(start, instant < end ? instant : end) is not { } change)
            {
                return instant <= end ? new DateTimeOffset(instant) : null;
            }

            // Local times that the clocks skip are all at the moment at which they do.
            local = change + _clock.OffsetAt(change);
            if (match < local)
            {
                return new DateTimeOffset(change);
            }

            floor = _isInterval || change + offset < floor ? floor : change + offset;
            (start, offset) = (change, local - change);
        }

        return null;
    }

    private static DateTime WholeSecond(DateTimeOffset moment) => new(moment.UtcTicks - (moment.UtcTicks % TimeSpan.TicksPerSecond), DateTimeKind.Utc);

    // The first local time that matches, at or after another. For Cronos it is a time without changes of clocks.
    private DateTime? Match(DateTime local) => _expression.GetNextOccurrence(DateTime.SpecifyKind(local, DateTimeKind.Utc), inclusive: true);

    private static CronExpression Read(string name, string cron)
    {
        try
        {
            // With a seed, Cronos would move macros too: @daily is midnight here.
            var text = cron.Trim();
            return text.StartsWith('@')
                ? CronExpression.Parse(text)
                : CronExpression.Parse(text, Fields(text).Length == 6 ? CronFormat.IncludeSeconds : CronFormat.Standard, Seed(name));
        }
        catch (Exception failure) when (failure is CronFormatException or ArgumentException)
        {
            throw new ScheduleException(
                ScheduleFault.Cron, $"'{cron}' is no cron expression: {failure.Message.TrimEnd('.')}. Write 5 fields (minute, hour, day of the month, month, day of the week), as in 0 3 * * *, 6 with the seconds first, or a macro, as in @daily.", failure);
        }
    }

    private static bool IsInterval(string cron)
    {
        var text = cron.Trim();
        if (text.StartsWith('@'))
        {
            return text.Equals("@hourly", StringComparison.OrdinalIgnoreCase) || text.StartsWith("@every_", StringComparison.OrdinalIgnoreCase);
        }

        // The day, the month and the day of the week are behind the time.
        return Fields(text)[..^3].Any(static field => field.AsSpan().IndexOfAny("*?-/") >= 0);
    }

    private static string[] Fields(string text) => text.Split([' ', '\t'], StringSplitOptions.RemoveEmptyEntries);

    // The same in every process and version.
    private static int Seed(string name)
    {
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(Encoding.UTF8.GetBytes(name.ToUpperInvariant()), hash);
        return BinaryPrimitives.ReadInt32LittleEndian(hash);
    }
}
