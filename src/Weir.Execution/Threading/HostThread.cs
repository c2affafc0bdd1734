namespace Weir.Execution.Threading;

/// <summary>
/// A thread of this process that calls back, at once or at a given time: for work that must run even while the application occupies
/// every thread of the thread pool. It sleeps while there is nothing to do. Started by the first use, and never ends.
/// </summary>
/// <remarks>The callbacks are Weir's own and short, but for a heartbeat's, which logs. The code that passes a callback handles what it throws.</remarks>
internal sealed class HostThread
{
    /// <summary>How late a timer fires at most on a machine that is only busy. If it fires later, the host was stopped during that time.</summary>
    public static readonly TimeSpan MostLate = TimeSpan.FromMilliseconds(500);

    private const int StackSize = 256 * 1024;

    private static readonly Lazy<HostThread> LazyTimers = new(static () => new HostThread("Weir pool timers", TimeProvider.System));
    private static readonly Lazy<HostThread> LazyHeartbeats = new(static () => new HostThread("Weir heartbeat", TimeProvider.System));
    private static readonly Lazy<HostThread> LazyKills = new(static () => new HostThread("Weir worker kill", TimeProvider.System));
    private static readonly Lazy<HostThread> LazyRecorder = new(static () => new HostThread("Weir recorder", TimeProvider.System));

    private readonly TimeProvider _time;

    // Also the object on which the thread waits.
    private readonly object _gate = new();

    // Protected by _gate. As many timers as there are pools; only kills are posted, at most one for each worker and reason.
    private readonly List<HostTimer> _timers = [];
    private readonly Queue<Work> _posted = new();

    public HostThread(string name, TimeProvider time)
    {
        _time = time;
        Callbacks.CreateThread(name, this, static thread => thread.Run(), static (_, _) => { }, StackSize).UnsafeStart();
    }

    /// <summary>The thread that kills workers: reading /proc takes milliseconds, which must not delay the timer of a pool.</summary>
    public static HostThread Kills => LazyKills.Value;

    /// <summary>A timer that needs no thread of the thread pool if the clock is the system's; otherwise a timer of that clock.</summary>
    /// <param name="time">The clock.</param>
    /// <param name="ring">Runs when the time is reached.</param>
    /// <param name="failed">Handles what <paramref name="ring"/> throws.</param>
    public static ITimer TimerFor(TimeProvider time, Action ring, Action<Exception> failed) => TimerFor(LazyTimers, time, ring, failed);

    /// <summary>The same for a heartbeat of the thread pool: its callback may log, which must not delay the timers of pools.</summary>
    /// <param name="time">The clock.</param>
    /// <param name="ring">Runs when the time is reached.</param>
    /// <param name="failed">Handles what <paramref name="ring"/> throws.</param>
    public static ITimer HeartbeatFor(TimeProvider time, Action ring, Action<Exception> failed) => TimerFor(LazyHeartbeats, time, ring, failed);

    /// <summary>The same for a recorder: it reads every pool and operation, which must not delay the timers of pools.</summary>
    /// <param name="time">The clock.</param>
    /// <param name="ring">Runs when the time is reached.</param>
    /// <param name="failed">Handles what <paramref name="ring"/> throws.</param>
    public static ITimer RecorderFor(TimeProvider time, Action ring, Action<Exception> failed) => TimerFor(LazyRecorder, time, ring, failed);

    /// <summary>Calls back soon, in the order of the requests.</summary>
    /// <param name="run">What to call.</param>
    /// <param name="failed">Handles what it throws.</param>
    public void Post(Action run, Action<Exception> failed)
    {
        lock (_gate)
        {
            _posted.Enqueue(new Work(run, failed));
            Monitor.Pulse(_gate);
        }
    }

    /// <summary>A timer that is not set yet.</summary>
    /// <param name="ring">Runs when the time is reached.</param>
    /// <param name="failed">Handles what it throws.</param>
    public ITimer Add(Action ring, Action<Exception> failed)
    {
        var timer = new HostTimer(this, new Work(ring, failed));
        lock (_gate)
        {
            _timers.Add(timer);
        }

        return timer;
    }

    private static ITimer TimerFor(Lazy<HostThread> thread, TimeProvider time, Action ring, Action<Exception> failed) => time == TimeProvider.System
        ? thread.Value.Add(ring, failed)
        : Callbacks.CreateTimer(time, (ring, failed), static timer => timer.ring(), static (timer, failure) => timer.failed(failure));

    private void Run()
    {
        while (true)
        {
            Callbacks.Run(Next(), static next => next.Run(), static (next, failure) => next.Failed(failure));
        }
    }

    private Work Next()
    {
        lock (_gate)
        {
            while (true)
            {
                if (_posted.TryDequeue(out var posted))
                {
                    return posted;
                }

                var now = _time.GetTimestamp();
                if (First() is not { Due: { } due } first)
                {
                    Monitor.Wait(_gate);
                }
                else if (due <= now)
                {
                    first.Due = null;
                    return first.Work;
                }
                else
                {
                    // Rounded up: a thread that wakes too early would loop until the time is reached.
                    var left = _time.GetElapsedTime(now, due).TotalMilliseconds;
                    Monitor.Wait(_gate, (int)Math.Min(Math.Ceiling(left), int.MaxValue));
                }
            }
        }
    }

    private HostTimer? First()
    {
        HostTimer? first = null;
        foreach (var timer in _timers)
        {
            first = timer.Due is { } due && (first is null || due < first.Due) ? timer : first;
        }

        return first;
    }

    private sealed record Work(Action Run, Action<Exception> Failed);

    private sealed class HostTimer(HostThread thread, Work work) : ITimer
    {
        public Work Work => work;

        /// <summary>When it fires, in the clock's ticks; <c>null</c> while it is not set. Protected by the thread's lock.</summary>
        public long? Due { get; set; }

        /// <summary>Fires once; a period is not supported.</summary>
        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            lock (thread._gate)
            {
                var sooner = thread.First() is not { } first || first == this;
                Due = dueTime == Timeout.InfiniteTimeSpan ? null : thread._time.GetTimestamp() + (long)(dueTime.TotalSeconds * thread._time.TimestampFrequency);
                if (sooner || thread.First() == this)
                {
                    Monitor.Pulse(thread._gate);
                }

                return true;
            }
        }

        public void Dispose()
        {
            lock (thread._gate)
            {
                Due = null;
                thread._timers.Remove(this);
            }
        }

        public ValueTask DisposeAsync()
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
    }
}
