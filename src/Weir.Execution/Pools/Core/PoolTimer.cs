using Weir.Execution.Threading;

namespace Weir.Execution.Pools.Core;

/// <summary>The one timer of a pool. All but <see cref="Dispose"/> under the pool's lock.</summary>
internal sealed class PoolTimer : IDisposable
{
    // Timers count whole milliseconds, and a shorter time would fire at once: the timer of a busy pool would fire without end.
    private static readonly TimeSpan Least = TimeSpan.FromMilliseconds(1);

    // Timers count at most 49 days: for a time that is further away the timer fires earlier, and is set again.
    private static readonly TimeSpan Most = TimeSpan.FromDays(1);

    private readonly ITimer _timer;
    private TimeSpan? _setFor;

    /// <param name="time">The clock.</param>
    /// <param name="ring">Runs when the time has come, on another thread and without the lock.</param>
    /// <param name="failed">Handles what <paramref name="ring"/> throws.</param>
    public PoolTimer(TimeProvider time, Action ring, Action<Exception> failed) => _timer = HostThread.TimerFor(time, ring, failed);

    /// <summary>The timer fired.</summary>
    /// <returns>Whether it fired so late that the host cannot have run: the process was stopped, or its machine was.</returns>
    public bool Fired(TimeSpan now)
    {
        var isLate = now - _setFor > HostThread.MostLate;
        _setFor = null;
        return isLate;
    }

    /// <summary>Sets the timer to fire at this time of the pool at the latest. Firing too early costs less than moving the timer with every call.</summary>
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
