namespace Weir.Execution.Pools.Scheduling;

/// <summary>
/// Pauses a pool whose workers fail before they run a call: after a number of such failures in 10 s no worker is started for a pause
/// that doubles from 1 s to 30 s; then one worker is tried.
/// </summary>
/// <param name="budget">How many failures in the window start a pause.</param>
internal sealed class RestartBudget(int budget)
{
    public static readonly TimeSpan Window = TimeSpan.FromSeconds(10);
    public static readonly TimeSpan FirstPause = TimeSpan.FromSeconds(1);
    public static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(30);

    // The times of the last failures, a ring buffer.
    private readonly TimeSpan[] _deaths = new TimeSpan[Math.Max(1, budget)];
    private int _next;
    private int _count;
    private int _pauses;

    /// <summary>Until when no worker is started.</summary>
    public TimeSpan ClosedUntil { get; private set; }

    /// <summary>Whether no worker has started a call since the last pause.</summary>
    public bool IsProbing => _pauses > 0;

    public bool IsClosed(TimeSpan now) => now < ClosedUntil;

    /// <summary>A worker failed before it started its first call.</summary>
    public void Strike(TimeSpan now)
    {
        if (_pauses > 0 && now - ClosedUntil > Window)
        {
            // The last pause is long over and no worker has failed since.
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

    /// <summary>A worker started a call: the problem is over.</summary>
    public void Forgive()
    {
        _count = 0;
        _pauses = 0;
        ClosedUntil = default;
    }

    private TimeSpan Oldest() => _deaths[(_next - _count + _deaths.Length) % _deaths.Length];
}
