namespace Weir.Jobs.Retention;

/// <summary>
/// Notices a clock that was set forward: what is deleted by its age then would be deleted by a wrong time. The clock's time is compared with its timestamps, which are not set. One flow.
/// </summary>
/// <param name="time">The clock.</param>
internal sealed class ClockJump(TimeProvider time)
{
    /// <summary>How long the time is not believed.</summary>
    public static readonly TimeSpan Pause = TimeSpan.FromHours(1);

    private static readonly TimeSpan Tolerance = TimeSpan.FromMinutes(5);

    private DateTimeOffset _time = time.GetUtcNow();
    private long _timestamp = time.GetTimestamp();
    private long? _jumpedAt;

    /// <summary>Whether the clock was set forward within the last hour, by more than 5 minutes.</summary>
    /// <param name="now">Its time.</param>
    /// <param name="jumped">By how much, where it was noticed now.</param>
    public bool IsAfterJump(DateTimeOffset now, out TimeSpan? jumped)
    {
        var timestamp = time.GetTimestamp();
        var by = now - _time - time.GetElapsedTime(_timestamp, timestamp);
        (_time, _timestamp) = (now, timestamp);
        jumped = by > Tolerance ? by : null;
        _jumpedAt = jumped is null ? _jumpedAt : timestamp;
        return _jumpedAt is { } at && time.GetElapsedTime(at, timestamp) < Pause;
    }
}
