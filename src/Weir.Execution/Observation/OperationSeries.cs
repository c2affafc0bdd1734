namespace Weir.Execution.Observation;

/// <summary>The history and the percentiles of one operation. Under the recorder's lock.</summary>
/// <param name="record">What is counted.</param>
/// <param name="budget">The memory of all histories.</param>
internal sealed class OperationSeries(OperationRecord record, HistoryBudget budget)
{
    /// <summary>The names of the numbers of a point, in their order; times are seconds, those of phases of all calls together.</summary>
    public static readonly string[] Names = ["calls", "failed", "longest", "bind", "filters", "queue", "run", "write"];

    // Percentiles are of intervals of ten seconds: six for a minute, thirty for five.
    private const int Ten = 10;
    private const int Intervals = 30;

    private static readonly HistoryColumn[] Columns =
    [
        HistoryColumn.Sum, HistoryColumn.Sum, HistoryColumn.Highest, HistoryColumn.Sum, HistoryColumn.Sum, HistoryColumn.Sum, HistoryColumn.Sum, HistoryColumn.Sum,
    ];

    private readonly float[] _values = new float[Columns.Length];
    private readonly uint[] _now = new uint[LatencyBuckets.Count];

    // The reading with which the present interval began, and the intervals before it, by their number.
    private readonly uint[] _began = new uint[LatencyBuckets.Count];
    private readonly (long Number, LatencyInterval Timed, long Calls, long Failed)[] _intervals = new (long, LatencyInterval, long, long)[Intervals];
    private long _interval;
    private long _timed;
    private long _untimed;
    private long _failed;
    private long _failedBefore;

    // Of the present interval.
    private long _calls;
    private PhaseTimes _sums;

    public OperationRecord Record => record;

    public History History { get; } = new(Columns);

    /// <summary>Calls that ended in the last second.</summary>
    public long Calls { get; private set; }

    /// <summary>Reads the counts, and adds a point.</summary>
    /// <returns>Whether a call has ended since the last reading.</returns>
    public bool Tick(long second)
    {
        // Before the counts, so that an interval never has calls of the next one.
        if (second / Ten != _interval)
        {
            EndInterval(second / Ten);
        }

        record.Latency.Read(_now);
        var timed = 0L;
        for (var i = 0; i < _now.Length; i++)
        {
            timed += _now[i];
        }

        var (untimed, failed, sums, longest) = (record.Untimed, record.AllFailures(), record.Sums, record.TakeLongest());

        // Each count of a bucket wraps, so their sum may go back by a multiple of 2^32.
        Calls = (uint)(timed - _timed) + (untimed - _untimed);
        _calls += Calls;
        var isActive = Calls > 0;
        if (isActive || History.IsKept)
        {
            budget.Open(History, second);
            _values[0] = Calls;
            _values[1] = failed - _failed;
            _values[2] = (float)longest.TotalSeconds;
            _values[3] = (float)(sums.Bind - _sums.Bind).TotalSeconds;
            _values[4] = (float)(sums.Filters - _sums.Filters).TotalSeconds;
            _values[5] = (float)(sums.Queue - _sums.Queue).TotalSeconds;
            _values[6] = (float)(sums.Run - _sums.Run).TotalSeconds;
            _values[7] = (float)(sums.Write - _sums.Write).TotalSeconds;
            History.Add(second, _values, isActive);
        }

        (_timed, _untimed, _failed, _sums) = (timed, untimed, failed, sums);
        return isActive;
    }

    /// <summary>How long the calls of the last time took, and how many of them failed: of the intervals of ten seconds that lie in it, and of the present one.</summary>
    /// <param name="second">The present second.</param>
    /// <param name="tens">How many intervals: 6 for a minute, 30 for five.</param>
    /// <param name="into">Receives the calls; cleared before.</param>
    /// <returns>How many failed.</returns>
    public long ReadLast(long second, int tens, LatencyDistribution into)
    {
        into.Clear();
        return AddLast(second, tens, into);
    }

    /// <summary>The same, in addition to what the distribution has.</summary>
    public long AddLast(long second, int tens, LatencyDistribution into)
    {
        var (failed, isPresent) = (0L, IsIn(_interval, second, tens));
        if (isPresent)
        {
            into.Add(LatencyInterval.Between(_began, _now));
            failed = _failed - _failedBefore;
        }

        foreach (var (number, timed, _, some) in _intervals)
        {
            // 0 is also the number of an entry that was never written, which has no calls.
            if (IsIn(number, second, tens))
            {
                into.Add(timed);
                failed += some;
            }
        }

        return failed;
    }

    /// <summary>How many calls ended in that time, those that were not timed too.</summary>
    public long CallsLast(long second, int tens)
    {
        var calls = IsIn(_interval, second, tens) ? _calls : 0;
        foreach (var (number, _, some, _) in _intervals)
        {
            calls += IsIn(number, second, tens) ? some : 0;
        }

        return calls;
    }

    // While the recorder sleeps the interval does not end.
    private static bool IsIn(long interval, long second, int tens) => interval >= (second / Ten) - tens;

    private void EndInterval(long next)
    {
        _intervals[_interval % Intervals] = (_interval, LatencyInterval.Between(_began, _now), _calls, _failed - _failedBefore);
        _now.CopyTo(_began, 0);
        _failedBefore = _failed;
        _calls = 0;
        _interval = next;
    }
}
