namespace Weir.Execution.Pools.Scheduling;

/// <summary>
/// Stops a pool whose workers die before they do anything: a number of such deaths in 10 s, then a pause that doubles from
/// 1 s to 30 s, after which one worker tries.
/// </summary>
/// <param name="budget">WorkerFailure in the window that are followed by a new worker at once.</param>
internal sealed class RestartBudget(int budget)
{
    public static readonly TimeSpan Window = TimeSpan.FromSeconds(10);
    public static readonly TimeSpan FirstPause = TimeSpan.FromSeconds(1);
    public static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(30);

    // The last deaths, a ring.
    private readonly TimeSpan[] _deaths = new TimeSpan[Math.Max(1, budget)];
    private int _next;
    private int _count;
    private int _pauses;

    /// <summary>Until when nothing is started.</summary>
    public TimeSpan ClosedUntil { get; private set; }

    /// <summary>Whether the last pause has not been followed by a worker that did something.</summary>
    public bool IsProbing => _pauses > 0;

    public bool IsClosed(TimeSpan now) => now < ClosedUntil;

    /// <summary>A worker died before it started its first call.</summary>
    public void Strike(TimeSpan now)
    {
        if (_pauses > 0 && now - ClosedUntil > Window)
        {
            // The last pause is long over and nothing died since.
            Forgive();
        }

        while (_count > 0 && now - Oldest() > Window)
        {
            _count--;
        }

        _deaths[_next] = now;
        _next = (_next + 1) % _deaths.Length;
        _count = Math.Min(_count + 1, _deaths.Length);
        if (_pauses > 0 || _count >= budget)
        {
            var pause = FirstPause * Math.Pow(2, Math.Min(_pauses, 10));
            ClosedUntil = now + (pause < LongestPause ? pause : LongestPause);
            _pauses++;
        }
    }

    /// <summary>A worker started a call: whatever was wrong is over.</summary>
    public void Forgive()
    {
        _count = 0;
        _pauses = 0;
        ClosedUntil = default;
    }

    private TimeSpan Oldest() => _deaths[(_next - _count + _deaths.Length) % _deaths.Length];
}
