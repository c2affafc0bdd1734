namespace Weir.Execution.Processes;

/// <summary>The one timer of a pool. All but <see cref="Dispose"/> under the pool's lock.</summary>
internal sealed class PoolAlarm : IDisposable
{
    // Timers count whole milliseconds, and what is nearer would be at once: a busy pool would ring without end.
    private static readonly TimeSpan Least = TimeSpan.FromMilliseconds(1);

    // What is further away than timers count, 49 days, is looked at again before.
    private static readonly TimeSpan Most = TimeSpan.FromDays(1);

    private readonly ITimer _timer;
    private TimeSpan? _setFor;

    /// <param name="time">The clock.</param>
    /// <param name="ring">Runs when the time has come, on the thread pool and without the lock.</param>
    public PoolAlarm(TimeProvider time, Action ring) =>
        _timer = time.CreateTimer(static ring => ((Action)ring!)(), ring, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);

    /// <summary>It rang.</summary>
    public void Rang() => _setFor = null;

    /// <summary>It is to ring at a time of the pool's, at the latest. One that rings too early costs less than one that is moved with every call.</summary>
    public void Set(TimeSpan at, TimeSpan now)
    {
        if (_setFor is null || at + Least < _setFor)
        {
            var left = at - now;
            left = left < Least ? Least : left > Most ? Most : left;
            _setFor = now + left;
            _timer.Change(left, Timeout.InfiniteTimeSpan);
        }
    }

    public void Dispose() => _timer.Dispose();
}
