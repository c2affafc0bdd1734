namespace Weir.Lab.Engine;

/// <summary>How long a run will still take: the experiments' own estimates, corrected by how wrong they have been so far.</summary>
internal sealed class RunForecast(TimeProvider time, IReadOnlyList<(string Name, TimeSpan Estimate)> plan)
{
    private const double MostWrong = 4;

    private readonly long _started = time.GetTimestamp();
    private long _currentStarted;
    private int _current = -1;

    /// <summary>Which experiment runs, counted from one.</summary>
    public int Number => _current + 1;

    public int Count => plan.Count;

    public TimeSpan Elapsed => time.GetElapsedTime(_started);

    /// <summary>The next experiment of the plan begins.</summary>
    public void Next()
    {
        _current++;
        _currentStarted = time.GetTimestamp();
    }

    /// <summary>Never negative; an experiment that takes longer than thought counts as nearly done.</summary>
    public TimeSpan Left()
    {
        if (_current < 0)
            return Sum(plan);

        var planned = Sum(plan.Take(_current));
        var taken = Elapsed - time.GetElapsedTime(_currentStarted);
        var wrong = planned > TimeSpan.Zero ? Math.Clamp(taken / planned, 1 / MostWrong, MostWrong) : 1;
        var ofCurrent = (plan[_current].Estimate * wrong) - time.GetElapsedTime(_currentStarted);
        return (ofCurrent > TimeSpan.Zero ? ofCurrent : TimeSpan.Zero) + (Sum(plan.Skip(_current + 1)) * wrong);
    }

    private static TimeSpan Sum(IEnumerable<(string Name, TimeSpan Estimate)> items) =>
        TimeSpan.FromTicks(items.Sum(item => item.Estimate.Ticks));
}
