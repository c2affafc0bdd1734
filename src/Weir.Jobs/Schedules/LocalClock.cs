namespace Weir.Jobs.Schedules;

/// <summary>The clocks of a time zone: how far they are from UTC, and when that changes. Immutable.</summary>
/// <param name="zone">The time zone.</param>
internal sealed class LocalClock(TimeZoneInfo zone)
{
    // Two changes of one zone are weeks apart.
    private static readonly TimeSpan Step = TimeSpan.FromDays(1);

    // The most by which clocks go back, when a place changes the side of the date line, and an hour.
    private static readonly TimeSpan Longest = TimeSpan.FromHours(25);

    private readonly TimeSpan? _fixed = zone.GetAdjustmentRules().Length == 0 ? zone.BaseUtcOffset : null;

    /// <summary>How far the clocks are ahead of UTC.</summary>
    /// <param name="instant">In UTC.</param>
    public TimeSpan OffsetAt(DateTime instant) => _fixed ?? zone.GetUtcOffset(instant);

    /// <summary>The first change of the clocks after a moment and not after the last moment, in UTC and on a whole second.</summary>
    /// <param name="after">In UTC, on a whole second.</param>
    /// <param name="last">In UTC.</param>
    /// <returns><c>null</c> where there is none.</returns>
    public DateTime? NextChange(DateTime after, DateTime last)
    {
        var offset = OffsetAt(after);
        for (var start = after; _fixed is null && start < last;)
        {
            var end = last - start > Step ? start + Step : last;
            if (OffsetAt(end) != offset)
            {
                return Change(start, end, offset);
            }

            start = end;
        }

        return null;
    }

    /// <summary>The first local time that the clocks have not shown before a moment, where they went back shortly before it; otherwise the smallest time.</summary>
    /// <param name="instant">In UTC, on a whole second.</param>
    public DateTime LatestLocal(DateTime instant)
    {
        var latest = DateTime.MinValue;
        for (var start = instant - Longest; NextChange(start, instant) is { } change; start = change)
        {
            var shown = change + OffsetAt(start);
            latest = shown > latest ? shown : latest;
        }

        return latest;
    }

    // Halves the span: at its start the clocks have the offset, at its end another.
    private DateTime Change(DateTime start, DateTime end, TimeSpan offset)
    {
        while (end - start > TimeSpan.FromSeconds(1))
        {
            var middle = start + TimeSpan.FromSeconds((end - start).Ticks / TimeSpan.TicksPerSecond / 2);
            (start, end) = OffsetAt(middle) == offset ? (middle, end) : (start, middle);
        }

        return end;
    }
}
