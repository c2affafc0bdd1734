namespace Weir.Execution.Pools.Core;

/// <summary>What the health of a pool depends on besides its table: the workers that were lost in calls in the last minute, and the last start that failed. Any thread.</summary>
/// <param name="time">The clock.</param>
internal sealed class WorkerLosses(TimeProvider time)
{
    // Losses are counted by the second: a pool that loses workers all the time needs no more memory for it.
    private const int Seconds = 60;

    private readonly Lock _gate = new();
    private readonly long _created = time.GetTimestamp();

    // Under _gate; null while no worker was lost.
    private int[]? _counts;
    private long _newest;
    private string? _lastLoss;
    private string? _lastStartFailure;

    /// <summary>A worker was lost in a call.</summary>
    /// <param name="cause">How it ended.</param>
    /// <param name="reportId">Its crash report.</param>
    public void Lost(string cause, string reportId)
    {
        lock (_gate)
        {
            _counts ??= new int[Seconds];
            _counts[Forget_NeedsLock() % Seconds]++;
            _lastLoss = $"{cause} (crash report {reportId})";
        }
    }

    /// <summary>A worker could not be started.</summary>
    /// <param name="detail">Why.</param>
    public void StartFailed(string detail)
    {
        lock (_gate)
        {
            _lastStartFailure = detail;
        }
    }

    /// <summary>A worker is ready: workers can be started.</summary>
    public void Started()
    {
        lock (_gate)
        {
            _lastStartFailure = null;
        }
    }

    /// <summary>How many workers were lost in calls in the last minute and how the last of them ended, and why the last start failed, if none succeeded after it.</summary>
    public (int Count, string? LastLoss, string? LastStartFailure) Read()
    {
        lock (_gate)
        {
            Forget_NeedsLock();
            var count = _counts?.Sum() ?? 0;
            return (count, count > 0 ? _lastLoss : null, _lastStartFailure);
        }
    }

    // Clears the seconds that were not written for a minute. Returns the present second.
    private long Forget_NeedsLock()
    {
        var now = (long)time.GetElapsedTime(_created).TotalSeconds;
        if (_counts is { } counts)
        {
            for (var second = Math.Max(_newest + 1, now - Seconds + 1); second <= now; second++)
            {
                counts[second % Seconds] = 0;
            }
        }

        _newest = now;
        return now;
    }
}
