using HdrHistogram;

namespace Weir.Cli.Fetch;

/// <summary>Counts outcomes. Under the lock of the report.</summary>
/// <param name="time">The clock.</param>
internal sealed class FetchCounters(TimeProvider time)
{
    // In microseconds; a longer time counts as this one.
    private const long MostMicroseconds = 3_600_000_000;

    // The rates are those of the last seconds.
    private static readonly TimeSpan Window = TimeSpan.FromSeconds(5);

    private readonly LongHistogram _total = new(1, MostMicroseconds, 3);
    private readonly long _startedAt = time.GetTimestamp();

    // Bounded by the window: one entry for each time that figures are read.
    private readonly Queue<(TimeSpan At, long Count, long Bytes)> _recent = new([(TimeSpan.Zero, 0, 0)]);
    private long _succeeded;
    private long _failed;
    private long _bytes;
    private long _doneBefore;

    private long Count => _succeeded + _failed;

    /// <summary>One more that an earlier run has done.</summary>
    public void Skip() => _doneBefore++;

    /// <summary>One more outcome.</summary>
    public void Add(in FetchOutcome outcome)
    {
        if (outcome.IsSuccess)
        {
            _succeeded++;
        }
        else
        {
            _failed++;
        }

        _bytes += outcome.Bytes;
        if (outcome.Timing is { } timing)
        {
            _total.RecordValue(Math.Clamp((long)timing.Total.TotalMicroseconds, 1, MostMicroseconds));
        }
    }

    /// <summary>The figures of this moment.</summary>
    /// <param name="all">How many URLs the list has; <c>null</c> if that is not known.</param>
    /// <param name="inFlight">Requests in flight.</param>
    public FetchFigures Read(long? all, long inFlight)
    {
        var now = time.GetElapsedTime(_startedAt);
        while (_recent.Count > 1 && now - _recent.Peek().At > Window)
        {
            _recent.Dequeue();
        }

        var (since, count, bytes) = _recent.Peek();
        _recent.Enqueue((now, Count, _bytes));
        var seconds = (now - since).TotalSeconds;
        var rate = seconds > 0 ? (Count - count) / seconds : 0;
        var left = all - _doneBefore - Count;
        return new FetchFigures
        {
            Done = _doneBefore + Count,
            All = all,
            Rate = rate,
            BytesPerSecond = seconds > 0 ? (_bytes - bytes) / seconds : 0,
            InFlight = inFlight,
            P50 = Milliseconds(50),
            P99 = Milliseconds(99),
            Failed = _failed,
            Left = rate > 0 && left >= 0 ? TimeSpan.FromSeconds(Math.Min(left.Value / rate, TimeSpan.FromDays(1000).TotalSeconds)) : null,
        };
    }

    /// <summary>The figures of the whole run.</summary>
    public FetchSummary Summarize()
    {
        var elapsed = time.GetElapsedTime(_startedAt);
        return new FetchSummary
        {
            Succeeded = _succeeded,
            Failed = _failed,
            DoneBefore = _doneBefore,
            Bytes = _bytes,
            Elapsed = elapsed,
            P50 = Milliseconds(50),
            P99 = Milliseconds(99),
        };
    }

    private double? Milliseconds(double percentile) => _total.TotalCount == 0 ? null : _total.GetValueAtPercentile(percentile) / 1000.0;
}
