using Weir.Execution.Pools.Core;
using Weir.Execution.Processes;
using Weir.Execution.Threading;

namespace Weir.Execution.Pools.Workers;

/// <summary>Lines of one worker that are logged a second after they were printed, unless they are dropped before. No timer exists for a worker that prints none. Any thread.</summary>
/// <param name="log">Takes the lines, in the order in which they came; not called under a lock.</param>
/// <param name="time">The clock.</param>
internal sealed class HeldLines(Action<LogItem> log, TimeProvider time)
{
    // Longer than a runtime takes to print a stack and to end.
    private static readonly TimeSpan HoldTime = TimeSpan.FromSeconds(1);

    // Timers count whole milliseconds, and may be early by one.
    private static readonly TimeSpan Tolerance = TimeSpan.FromMilliseconds(2);

    // No more than the crash report keeps: the oldest lines are logged earlier.
    private const int MostHeld = OutputTail.Capacity;

    private readonly Lock _gate = new();

    // Under _gate. Bounded by MostHeld bytes.
    private readonly Queue<(LogItem Line, int Size, long At)> _held = new();
    private int _size;
    private ITimer? _timer;
    private bool _isEnded;

    /// <summary>Holds a line for a second.</summary>
    /// <param name="line">The line.</param>
    /// <param name="size">What it counts as, in bytes.</param>
    public void Add(LogItem line, int size)
    {
        List<LogItem>? due;
        lock (_gate)
        {
            if (_held.Count == 0 && !_isEnded)
            {
                _timer ??= Callbacks.CreateTimer(time, this, static lines => lines.OnTime(), static (lines, _) => lines.End());
                _timer.Change(HoldTime, Timeout.InfiniteTimeSpan);
            }

            _held.Enqueue((line, size, time.GetTimestamp()));
            _size += size;
            due = Take_NeedsLock(static lines => lines._isEnded || lines._size > MostHeld);
        }

        Log(due);
    }

    /// <summary>Forgets what is held.</summary>
    public void Drop()
    {
        lock (_gate)
        {
            _held.Clear();
            _size = 0;
        }
    }

    /// <summary>Logs what is held, and whatever still comes at once.</summary>
    public void End()
    {
        List<LogItem>? due;
        lock (_gate)
        {
            _isEnded = true;
            _timer?.Dispose();
            due = Take_NeedsLock(static _ => true);
        }

        Log(due);
    }

    private void OnTime()
    {
        List<LogItem>? due;
        lock (_gate)
        {
            due = Take_NeedsLock(static lines => lines.Age_NeedsLock() >= HoldTime - Tolerance);
            if (_held.Count > 0 && !_isEnded)
            {
                _timer!.Change(HoldTime - Age_NeedsLock(), Timeout.InfiniteTimeSpan);
            }
        }

        Log(due);
    }

    private void Log(List<LogItem>? due)
    {
        foreach (var line in due ?? [])
        {
            log(line);
        }
    }

    private TimeSpan Age_NeedsLock() => time.GetElapsedTime(_held.Peek().At);

    private List<LogItem>? Take_NeedsLock(Func<HeldLines, bool> isDue)
    {
        List<LogItem>? due = null;
        while (_held.Count > 0 && isDue(this))
        {
            var (line, size, _) = _held.Dequeue();
            _size -= size;
            (due ??= []).Add(line);
        }

        return due;
    }
}
