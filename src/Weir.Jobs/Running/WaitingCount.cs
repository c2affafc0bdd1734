namespace Weir.Jobs.Running;

/// <summary>How many jobs of a kind wait, about: what the store counted last, and what was accepted and claimed here since. Any thread.</summary>
internal sealed class WaitingCount
{
    private long _counted;
    private long _since;
    private long _oldestTicks;

    /// <summary>How many wait.</summary>
    public long Now => Math.Max(0, Interlocked.Read(ref _counted) + Interlocked.Read(ref _since));

    /// <summary>Since when the job that was submitted first has been due; <c>null</c> where none is ready.</summary>
    public DateTimeOffset? OldestDue => Interlocked.Read(ref _oldestTicks) is > 0 and var ticks ? new DateTimeOffset(ticks, TimeSpan.Zero) : null;

    /// <summary>More wait, or fewer.</summary>
    public void Add(int difference) => Interlocked.Add(ref _since, difference);

    /// <summary>A count begins: what happens from here on is added to it.</summary>
    public void BeginCount() => Interlocked.Add(ref _counted, Interlocked.Exchange(ref _since, 0));

    /// <summary>The store has counted.</summary>
    public void EndCount(long counted, DateTimeOffset? oldestDue)
    {
        Interlocked.Exchange(ref _counted, counted);
        Interlocked.Exchange(ref _oldestTicks, oldestDue?.UtcTicks ?? 0);
    }
}
