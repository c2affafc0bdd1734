namespace Weir.Execution.Processes;

/// <summary>One pool's part in the room of its host.</summary>
/// <param name="host">Whose room it is.</param>
/// <param name="always">How many workers it may have although there are fewer processors, and too much to run for them.</param>
internal sealed class PoolRoom(HostRoom host, int always = 0) : IWorkerRoom
{
    private IRoomGuest? _pool;
    private int _lent;

    // How many it wanted more than it got; 0 for none. Set by the pool, taken by the host.
    private int _wanted;

    /// <summary>How many workers the pool has room for.</summary>
    public int Lent => Volatile.Read(ref _lent);

    public int Always => always;

    /// <summary>The pool begins. Once, before it asks for room.</summary>
    public void Open(IRoomGuest pool)
    {
        _pool = pool;
        host.Add(this);
    }

    /// <summary>The pool is drained.</summary>
    public void Close() => host.Remove(this);

    /// <inheritdoc cref="HostRoom.TakeSharedProcessLimit"/>
    public long? TakeSharedProcessLimit() => host.TakeSharedProcessLimit();

    public int Take(int wanted)
    {
        var granted = host.Take(wanted, Lent, always);
        Interlocked.Add(ref _lent, granted);
        if (granted < wanted)
        {
            Volatile.Write(ref _wanted, wanted - granted);
            host.Serve();
        }

        return granted;
    }

    public void Return(int count)
    {
        Interlocked.Add(ref _lent, -count);
        host.Return(count);
    }

    // ---- what the host does, on the thread pool and without a lock ----

    /// <summary>Whether the pool's callers wait. What it would only start ahead is not taken from others: they would take it back.</summary>
    public bool IsPressed => _pool!.IsPressed;

    /// <summary>Whether the pool was refused something since it was last heard.</summary>
    public bool TryHear(out int wanted) => (wanted = Interlocked.Exchange(ref _wanted, 0)) > 0;

    /// <summary>There is room: the pool may ask again.</summary>
    public void AskAgain() => _pool!.Tick();

    /// <summary>There is none; the pool is remembered, and says why it does not grow.</summary>
    public void Refuse(int wanted)
    {
        Interlocked.CompareExchange(ref _wanted, wanted, 0);
        _pool!.TellShort(wanted, host.Describe(Lent, always));
    }

    /// <summary>Lets idle workers above the minimum go.</summary>
    /// <returns>How many.</returns>
    public int GiveUpIdle(int most) => _pool!.Shrink(most);

    /// <summary>Looking at the machine, or serving those who were refused, failed.</summary>
    public void ReportFailure(Exception failure) => _pool!.ReportFailure(failure);

    /// <summary>What its workers hold of memory, in bytes. Hundreds of pools may have none, and are not even asked.</summary>
    public void AddMemories(List<long> memories)
    {
        if (Lent > 0)
        {
            _pool!.AddMemories(memories);
        }
    }
}
