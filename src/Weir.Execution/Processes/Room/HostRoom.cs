namespace Weir.Execution.Processes;

/// <summary>
/// The room for workers of one host, over all its pools: a maximum that somebody chose, and what the machine can bear. Lent to
/// pools without a lock, since they ask under their own. It looks at the machine while pools grow and never otherwise; whoever
/// was refused hears when room comes back.
/// </summary>
internal sealed class HostRoom
{
    /// <summary>How old a look may be before the next loan asks for a fresh one.</summary>
    public static readonly TimeSpan LookPause = TimeSpan.FromMilliseconds(250);

    // One computes while the other waits for a disk, or for the host.
    private const int StartsPerProcessor = 2;

    private readonly int _most;
    private readonly int _processors;
    private readonly Func<HostFigures> _read;
    private readonly TimeProvider _time;
    private readonly Action<Action> _queue;
    private readonly Action _look;
    private readonly Action _serve;
    private readonly Lock _gate = new();

    // Under _gate. As many as there are pools.
    private readonly List<PoolRoom> _pools = [];

    // High half: workers that room is lent for. Low half: how many more the last look allowed. Swapped together.
    private long _state;

    // What the last look saw besides; any thread.
    private volatile bool _isShortOfProcessors;
    private volatile string _bound = "nothing is known of the machine yet";
    private long _sharedProcesses;
    private int _isAdvised;
    private long _lookedAt;
    private int _isLooking;
    private int _isServing;

    /// <param name="mostWorkers">The most workers over all pools; <c>null</c> for any number.</param>
    /// <param name="read">Reads what the machine has left. Not called under a lock.</param>
    /// <param name="processors">How many there are.</param>
    /// <param name="time">The clock.</param>
    /// <param name="queue">Runs work later, on the thread pool.</param>
    public HostRoom(int? mostWorkers, Func<HostFigures> read, int processors, TimeProvider time, Action<Action> queue)
    {
        _most = mostWorkers ?? int.MaxValue;
        _read = read;
        _processors = processors;
        _time = time;
        _queue = queue;
        _look = () => Callbacks.Run(this, static host => host.Look(), static (host, failure) => host.Report(failure));
        _serve = () => Callbacks.Run(this, static host => host.ServeShort(), static (host, failure) => host.Report(failure));
        Starts = new StartTurns(StartsPerProcessor * processors, time);
        _look();
    }

    /// <summary>For pools without an application around them.</summary>
    public static HostRoom Shared => LazyShared.Value;

    /// <summary>Who may start a worker now.</summary>
    public StartTurns Starts { get; }

    /// <summary>Workers that room is lent for.</summary>
    public int Lent => (int)(Volatile.Read(ref _state) >> 32);

    private static Lazy<HostRoom> LazyShared { get; } = new(() => ForThisMachine(null, TimeProvider.System));

    public static HostRoom ForThisMachine(int? mostWorkers, TimeProvider time) =>
        new(
            mostWorkers,
            OperatingSystem.IsLinux() ? new Linux.MachineFigures().Read : static () => default,
            Environment.ProcessorCount,
            time,
            static work => Callbacks.Queue(work, static work => work(), static (_, _) => { }));

    /// <summary>The limit of processes and threads that the host shares with its workers: once, so that one pool of all speaks of it.</summary>
    /// <returns><c>null</c> where there is none, and after the first time.</returns>
    public long? TakeSharedProcessLimit() =>
        Volatile.Read(ref _sharedProcesses) is var limit and > 0 && Interlocked.Exchange(ref _isAdvised, 1) == 0 ? limit : null;

    public void Add(PoolRoom pool)
    {
        lock (_gate)
        {
            _pools.Add(pool);
        }
    }

    public void Remove(PoolRoom pool)
    {
        lock (_gate)
        {
            _pools.Remove(pool);
        }
    }

    /// <summary>Lends room.</summary>
    /// <param name="wanted">For how many workers.</param>
    /// <param name="own">How many the pool has already.</param>
    /// <param name="always">How many it may have also where processors are short.</param>
    /// <returns>For how many there is.</returns>
    public int Take(int wanted, int own, int always)
    {
        if (_time.GetElapsedTime(Volatile.Read(ref _lookedAt)) > LookPause && Interlocked.Exchange(ref _isLooking, 1) == 0)
        {
            _queue(_look);
        }

        while (true)
        {
            var state = Volatile.Read(ref _state);
            var (lent, left) = Split(state);
            var granted = Math.Min(wanted, Free(state, own, always));
            if (granted <= 0)
            {
                return 0;
            }

            if (Interlocked.CompareExchange(ref _state, Join(lent + granted, left - granted), state) == state)
            {
                return granted;
            }
        }
    }

    /// <summary>Takes back what was lent, and lets those know who were refused.</summary>
    public void Return(int count)
    {
        if (count == 0)
        {
            return;
        }

        long state, next;
        do
        {
            state = Volatile.Read(ref _state);
            var (lent, left) = Split(state);
            next = Join(lent - count, (int)Math.Min(int.MaxValue, (long)left + count));
        }
        while (Interlocked.CompareExchange(ref _state, next, state) != state);

        Serve();
    }

    /// <summary>Somebody was refused: whoever idles above its minimum makes room, and who was refused asks again when there is some.</summary>
    public void Serve()
    {
        if (Interlocked.Exchange(ref _isServing, 1) == 0)
        {
            _queue(_serve);
        }
    }

    /// <summary>What keeps a pool of so many workers from having more.</summary>
    public string Describe(int own, int always)
    {
        var (lent, left) = Split(Volatile.Read(ref _state));
        return lent >= _most ? $"MaxWorkers of all pools is {_most}, and so many live"
            : left <= 0 ? _bound
            : _isShortOfProcessors && own >= Math.Max(_processors, always) ? $"processors: for 10 s there has been more to run than the {_processors} of them can, and this pool has {own} workers"
            : "nothing any more";
    }

    private void Look()
    {
        // 1. Before the look: what changes from now on asks for another one.
        Volatile.Write(ref _lookedAt, _time.GetTimestamp());
        Volatile.Write(ref _isLooking, 0);

        // 2. The figures, and what workers take.
        var figures = _read();
        var memories = new List<long>();
        foreach (var pool in Pools())
        {
            pool.AddMemories(memories);
        }

        var room = HeadRoom.Of(figures, HeadRoom.MemoryPerWorker(memories));
        _isShortOfProcessors = figures.IsShortOfProcessors;
        Volatile.Write(ref _sharedProcesses, figures.SharedProcessLimit ?? 0);
        _bound = room.Bound;

        // 3. What is lent stays lent, and those that only start will take their part yet.
        long state, next;
        do
        {
            state = Volatile.Read(ref _state);
            var lent = Split(state).Lent;
            next = Join(lent, room.Workers - Math.Clamp(lent - memories.Count, 0, room.Workers));
        }
        while (Interlocked.CompareExchange(ref _state, next, state) != state);
    }

    private void ServeShort()
    {
        Volatile.Write(ref _isServing, 0);
        var pools = Pools();
        foreach (var pool in pools)
        {
            if (!pool.TryHear(out var wanted))
            {
                continue;
            }

            if (Free(Volatile.Read(ref _state), pool.Lent, pool.Always) > 0)
            {
                pool.AskAgain();
                continue;
            }

            // It hears of it when the first of them is gone.
            pool.Refuse(wanted);
            for (var i = 0; i < pools.Length && wanted > 0 && pool.IsPressed; i++)
            {
                wanted -= pools[i] == pool ? 0 : pools[i].GiveUpIdle(wanted);
            }
        }
    }

    // The figures of the last look stay until another one succeeds. One pool's log is enough.
    private void Report(Exception failure)
    {
        if (Pools() is [var pool, ..])
        {
            pool.ReportFailure(failure);
        }
    }

    // A pool without a worker always gets its first one: the machine itself says whether it can be started, and the pool's callers
    // learn why not. A worker per processor always helps; more than that only where processors wait for work.
    private int Free(long state, int own, int always)
    {
        var (lent, left) = Split(state);
        var bearable = Math.Min(left, _isShortOfProcessors ? Math.Max(_processors, always) - own : int.MaxValue);
        return Math.Min(own <= 0 ? Math.Max(bearable, 1) : bearable, _most - lent);
    }

    private PoolRoom[] Pools()
    {
        lock (_gate)
        {
            return [.. _pools];
        }
    }

    private static (int Lent, int Left) Split(long state) => ((int)(state >> 32), (int)state);

    private static long Join(int lent, int left) => ((long)lent << 32) | (uint)left;
}
