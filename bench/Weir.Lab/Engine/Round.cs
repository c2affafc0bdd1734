namespace Weir.Lab.Engine;

/// <summary>What one round of one contender measured.</summary>
internal sealed class Round
{
    // One tick of the clock: work that took less took this.
    private const double ShortestSeconds = 1e-9;

    private readonly List<Reading> _readings = [];
    private readonly List<TimelineEvent> _timeline = [];

    public IReadOnlyList<Reading> Readings => _readings;

    public IReadOnlyList<TimelineEvent> Timeline => _timeline;

    public Round Add(string metric, double value, string unit)
    {
        if (!double.IsFinite(value))
            throw new ArgumentException($"'{metric}' is {value}: nothing was measured.", nameof(value));
        if (_readings.Exists(reading => reading.Metric == metric))
            throw new ArgumentException($"'{metric}' was measured already in this round.", nameof(metric));

        _readings.Add(new Reading(metric, value, unit));
        return this;
    }

    public Round Note(double seconds, string what, double value)
    {
        _timeline.Add(new TimelineEvent(seconds, what, value));
        return this;
    }

    /// <summary>A work done <paramref name="count"/> times in <paramref name="seconds"/>.</summary>
    public Round AddRate(string metric, double count, double seconds) => Add(metric, count / Math.Max(seconds, ShortestSeconds), "1/s");

    /// <summary>The value of a metric in a unit, or null when the round has none.</summary>
    public double? Find(string metric, string unit)
    {
        var index = _readings.FindIndex(reading => reading.Metric == metric && reading.Unit == unit);
        return index < 0 ? null : _readings[index].Value;
    }

    /// <summary>The value of a metric of this round; throws when the round has none.</summary>
    public double this[string metric] => _readings.First(reading => reading.Metric == metric).Value;
}
