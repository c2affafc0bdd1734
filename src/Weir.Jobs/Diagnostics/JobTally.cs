using Weir.Execution.Observation;

namespace Weir.Jobs.Diagnostics;

/// <summary>Counts what became of jobs, for people who look. Exists only where recording is on. Any thread.</summary>
/// <param name="time">The clock.</param>
internal sealed class JobTally(TimeProvider time)
{
    private readonly long _created = time.GetTimestamp();
    private readonly Lock _gate = new();

    // Under _gate. As many as there are kinds.
    private readonly Dictionary<string, KindTally> _kinds = new(StringComparer.Ordinal);
    private readonly LatencyDistribution _latency = new();

    private long Second => (long)time.GetElapsedTime(_created).TotalSeconds;

    /// <summary>A job ended.</summary>
    /// <param name="kind">Its kind; <c>null</c> where the code that acted does not know it: then it is not counted.</param>
    /// <param name="job">The job.</param>
    /// <param name="state">How it ended.</param>
    /// <param name="reason">Why it failed.</param>
    public void Ended(string? kind, Guid job, JobState state, JobReason reason)
    {
        if (kind is null)
        {
            return;
        }

        lock (_gate)
        {
            Of_NeedsLock(kind).Ended(Second, job, state, reason);
        }
    }

    /// <summary>An attempt ran so long.</summary>
    public void Ran(string kind, TimeSpan took)
    {
        lock (_gate)
        {
            Of_NeedsLock(kind).Ran(Second, took);
        }
    }

    /// <summary>The last minute of a kind.</summary>
    public KindFigures Read(string kind)
    {
        lock (_gate)
        {
            return _kinds.TryGetValue(kind, out var found) ? found.Read(Second, _latency) : default;
        }
    }

    private KindTally Of_NeedsLock(string kind) => _kinds.TryGetValue(kind, out var found) ? found : _kinds[kind] = new KindTally();
}
