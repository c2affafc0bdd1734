namespace Weir.Tests;

/// <summary>A clock that only a test advances; timers fire inside <see cref="Advance"/>, in order of time.</summary>
internal sealed class ManualTime : TimeProvider
{
    private readonly List<ManualTimer> _timers = [];
    private TimeSpan _now;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    /// <summary>The time at which it begins. Another one sets the clock: timestamps and timers go on.</summary>
    internal DateTimeOffset Origin { get; set; } = DateTimeOffset.UnixEpoch;

    /// <summary>How much too early timers fire, as real timers may.</summary>
    internal TimeSpan TimersAreEarlyBy { get; init; }

    /// <summary>How much too late timers fire that are set from now on: nothing of the process runs during that time.</summary>
    internal TimeSpan TimersAreLateBy { get; set; }

    /// <summary>Timers that will still fire.</summary>
    internal int ActiveTimers
    {
        get
        {
            lock (_timers)
            {
                return _timers.Count(static timer => timer.Due is not null);
            }
        }
    }

    /// <summary>The time until the next timer fires; <c>null</c> if none is set.</summary>
    internal TimeSpan? NextTimer
    {
        get
        {
            lock (_timers)
            {
                return _timers.Min(static timer => timer.Due) - _now;
            }
        }
    }

    public override long GetTimestamp()
    {
        lock (_timers)
        {
            return _now.Ticks;
        }
    }

    public override DateTimeOffset GetUtcNow() => Origin + new TimeSpan(GetTimestamp());

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new ManualTimer(this, callback, state);
        lock (_timers)
        {
            _timers.Add(timer);
        }

        timer.Change(dueTime, period);
        return timer;
    }

    internal void Advance(TimeSpan time)
    {
        var until = new TimeSpan(GetTimestamp()) + time;
        while (true)
        {
            ManualTimer? next;
            lock (_timers)
            {
                next = _timers.Where(timer => timer.Due <= until).MinBy(static timer => timer.Due);
                _now = next?.Due > _now ? next.Due!.Value : next is null ? until : _now;
                next?.Reschedule_NeedsLock();
            }

            if (next is null)
            {
                return;
            }

            next.Fire();
        }
    }

    private sealed class ManualTimer(ManualTime time, TimerCallback callback, object? state) : ITimer
    {
        private TimeSpan _period = Timeout.InfiniteTimeSpan;

        internal TimeSpan? Due { get; private set; }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (time._timers)
            {
                _period = period;
                Due = dueTime == Timeout.InfiniteTimeSpan ? null : time._now + time.TimersAreLateBy + (dueTime > time.TimersAreEarlyBy ? dueTime - time.TimersAreEarlyBy : TimeSpan.Zero);
            }

            return true;
        }

        public void Dispose()
        {
            lock (time._timers)
            {
                Due = null;
                time._timers.Remove(this);
            }
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return default;
        }

        internal void Reschedule_NeedsLock() =>
            Due = _period == Timeout.InfiniteTimeSpan || _period == TimeSpan.Zero ? null : Due + _period;

        internal void Fire() => callback(state);
    }
}
