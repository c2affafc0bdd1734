using Weir.Execution.Observation;

namespace Weir.Jobs.Diagnostics;

/// <summary>Counts of one kind of job, in intervals of ten seconds: six that have ended, and the present one. Under its owner's lock; some 3 KB.</summary>
internal sealed class KindTally
{
    private const int Ten = 10;
    private const int Intervals = 6;

    private readonly LatencyBuckets _latency = new(stripes: 1);
    private readonly uint[] _now = new uint[LatencyBuckets.Count];

    // The reading with which the present interval began, and the intervals before it, by their number.
    private readonly uint[] _began = new uint[LatencyBuckets.Count];
    private readonly (long Number, LatencyInterval Ran, long Ended, long Failed)[] _past = new (long, LatencyInterval, long, long)[Intervals];
    private long _interval;
    private long _ended;
    private long _failed;
    private (Guid Job, JobReason Reason)? _lastFailed;

    /// <summary>A job ended.</summary>
    public void Ended(long second, Guid job, JobState state, JobReason reason)
    {
        EndInterval(second);
        _ended++;
        if (state == JobState.Failed)
        {
            _failed++;
            _lastFailed = (job, reason);
        }
    }

    /// <summary>An attempt ran so long.</summary>
    public void Ran(long second, TimeSpan took)
    {
        EndInterval(second);
        _latency.Add(took);
    }

    /// <summary>The last minute.</summary>
    /// <param name="second">The present second; counts begin at 0.</param>
    /// <param name="into">To work with.</param>
    public KindFigures Read(long second, LatencyDistribution into)
    {
        EndInterval(second);
        _latency.Read(_now);
        into.Clear();
        into.Add(LatencyInterval.Between(_began, _now));
        var (ended, failed) = (_ended, _failed);
        foreach (var past in _past)
        {
            // 0 is also the number of an entry that was never written, which has no jobs.
            if (past.Number >= _interval - Intervals)
            {
                into.Add(past.Ran);
                ended += past.Ended;
                failed += past.Failed;
            }
        }

        var seconds = Math.Clamp(second, 1, (Intervals * Ten) + (second % Ten));
        return new KindFigures(ended, failed, (double)ended / seconds, into.Percentile(0.5), into.Percentile(0.99), _lastFailed);
    }

    private void EndInterval(long second)
    {
        var next = second / Ten;
        if (next == _interval)
        {
            return;
        }

        _latency.Read(_now);
        _past[_interval % Intervals] = (_interval, LatencyInterval.Between(_began, _now), _ended, _failed);
        _now.CopyTo(_began, 0);
        (_ended, _failed, _interval) = (0, 0, next);
    }
}
