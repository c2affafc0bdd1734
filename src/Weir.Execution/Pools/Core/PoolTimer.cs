using Weir.Execution.Threading;

namespace Weir.Execution.Pools.Core;

/// <summary>The one timer of a pool. All but <see cref="Dispose"/> under the pool's lock.</summary>
internal sealed class PoolTimer : IDisposable
{
    // Timers count whole milliseconds, and what is nearer would be at once: a busy pool would ring without end.
    private static readonly TimeSpan Least = TimeSpan.FromMilliseconds(1);

    // What is further away than timers count, 49 days, is looked at again before.
    private static readonly TimeSpan Most = TimeSpan.FromDays(1);

    private readonly ITimer _timer;
    private TimeSpan? _setFor;

    /// <param name="time">The clock.</param>
    /// <param name="ring">Runs when the time has come, on a thread of its own and without the lock.</param>
    /// <param name="failed">Handles what <paramref name="ring"/> throws.</param>
    public PoolTimer(TimeProvider time, Action ring, Action<Exception> failed) => _timer = HostThread.TimerFor(time, ring, failed);

    /// <summary>It rang.</summary>
    /// <returns>Whether it rang so late that the host must have stood still: it was stopped, or its machine was.</returns>
    public bool Rang(TimeSpan now)
    {
        var isLate = now - _setFor > HostThread.MostLate;
        _setFor = null;
        return isLate;
    }

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
