namespace Weir.Execution.Observation;

/// <summary>The history of one pool, or of the lane. Under the recorder's lock.</summary>
/// <param name="pool">The pool.</param>
/// <param name="budget">The memory of all histories.</param>
internal sealed class PoolSeries(IObservedPool pool, HistoryBudget budget)
{
    /// <summary>The names of the numbers of a point, in their order.</summary>
    public static readonly string[] Names = ["workers", "starting", "busy", "max", "queued", "waiting", "oldest", "succeeded", "failed", "rejected", "started", "lost"];

    private static readonly HistoryColumn[] Columns =
    [
        HistoryColumn.Highest, HistoryColumn.Highest, HistoryColumn.Highest, HistoryColumn.Highest, HistoryColumn.Highest, HistoryColumn.Highest, HistoryColumn.Highest,
        HistoryColumn.Sum, HistoryColumn.Sum, HistoryColumn.Sum, HistoryColumn.Sum, HistoryColumn.Sum,
    ];

    private const int LatelySeconds = 10;

    private readonly float[] _values = new float[Columns.Length];
    private readonly (long Second, long Calls)[] _rejected = new (long, long)[LatelySeconds];

    public string Name => pool.Name;

    public History History { get; } = new(Columns);

    /// <summary>The memory of its workers that have a limit: as the pool reads it, and without the recorder's lock.</summary>
    public IReadOnlyList<WorkerMemory> ReadMemory() => pool.ReadMemory();

    /// <summary>The last reading. What was before the first belongs to no second.</summary>
    public PoolReading Last { get; private set; } = pool.Read();

    /// <summary>The reading before it.</summary>
    public PoolReading Before { get; private set; }

    /// <summary>Calls that were rejected in the last ten seconds.</summary>
    public long RejectedLately(long second)
    {
        var sum = 0L;
        foreach (var (at, calls) in _rejected)
        {
            sum += at > second - LatelySeconds ? calls : 0;
        }

        return sum;
    }

    /// <summary>Reads the pool, and adds a point.</summary>
    /// <returns>Whether anything happens in it.</returns>
    public bool Tick(long second)
    {
        (Before, Last) = (Last, pool.Read());
        _rejected[second % LatelySeconds] = (second, Last.Rejected - Before.Rejected);
        var isActive = Last.Busy + Last.Queued + Last.WaitingForCapacity + Last.Starting > 0 || Last.MostBusy > 0
            || (Last.Started, Last.Failed, Last.Succeeded, Last.Lost) != (Before.Started, Before.Failed, Before.Succeeded, Before.Lost);
        if (!isActive && !History.IsKept)
        {
            return false;
        }

        budget.Open(History, second);
        _values[0] = Last.Workers;
        _values[1] = Last.Starting;
        _values[2] = Last.MostBusy;
        _values[3] = Last.MaxWorkers;
        _values[4] = Last.MostQueued;
        _values[5] = Last.WaitingForCapacity;
        _values[6] = (float)(Last.Oldest?.TotalSeconds ?? 0);
        _values[7] = Last.Succeeded - Before.Succeeded;
        _values[8] = Last.Failed - Before.Failed;
        _values[9] = Last.Rejected - Before.Rejected;
        _values[10] = Last.Started - Before.Started;
        _values[11] = Last.Lost - Before.Lost;
        History.Add(second, _values, isActive);
        return isActive;
    }
}
