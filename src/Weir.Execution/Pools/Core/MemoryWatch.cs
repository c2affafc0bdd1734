using Weir.Execution.Threading;

namespace Weir.Execution.Pools.Core;

/// <summary>
/// Checks one worker's memory after its calls: at most once a second, and always once after the last of them, so that no worker
/// idles with memory that a call left behind. Nothing happens while there are no calls.
/// </summary>
internal sealed class MemoryWatch : IDisposable
{
    private static readonly TimeSpan Pause = TimeSpan.FromSeconds(1);

    private readonly TimeProvider _time;
    private readonly Action _look;
    private readonly ITimer _timer;

    // 1 from the completion of a call until the next check. Only the check that follows writes the time.
    private int _isDue;
    private long _lookedAt;

    /// <param name="time">The clock.</param>
    /// <param name="look">Reads the memory and reports it to the pool; on the thread pool.</param>
    public MemoryWatch(TimeProvider time, Action look)
    {
        _time = time;
        _look = look;
        _lookedAt = time.GetTimestamp();

        // After a check that failed, the completion of the next call asks for another one.
        _timer = Callbacks.CreateTimer(time, this, static watch => watch.Check(), static (_, _) => { });
    }

    /// <summary>A call has completed. Any thread; costs one read while a check is due already.</summary>
    public void Note()
    {
        if (Volatile.Read(ref _isDue) == 0 && Interlocked.Exchange(ref _isDue, 1) == 0)
        {
            var wait = Pause - _time.GetElapsedTime(_lookedAt);
            _timer.Change(wait > TimeSpan.Zero ? wait : TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        }
    }

    public void Dispose() => _timer.Dispose();

    private void Check()
    {
        // First: a call that completes from now on may leave more behind than this check sees.
        _lookedAt = _time.GetTimestamp();
        Volatile.Write(ref _isDue, 0);
        _look();
    }
}
