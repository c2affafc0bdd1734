using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes.Simulation;

/// <summary>
/// What must hold when a pool's options change: a worker of an older generation stays until another one is ready if there is a
/// place for it, in the end all workers are of the current generation, and a generation that cannot start leaves the previous one in place.
/// </summary>
internal sealed class GenerationRules(World world, SimulatedPool pool)
{
    private (WorkerEntry Entry, WorkerState State, bool IsDue)[] _before = new (WorkerEntry, WorkerState, bool)[pool.Table.Workers.Length];
    private readonly HashSet<WorkerEntry> _outgrown = [];
    private int _current;
    private int _latest;
    private int? _proven;
    private bool _replaces;

    // ---- events ----

    public void Renewed() => _current = ++_latest;

    /// <summary>Every worker that becomes ready replaces one.</summary>
    public void Ready(WorkerEntry entry)
    {
        _proven = entry.Generation;
        _replaces = true;
    }

    public void FailsToStart(WorkerEntry entry, bool isDefinite)
    {
        if (isDefinite && entry.Killed == KillReason.None && entry.Generation == _current && _proven is { } proven)
        {
            _current = proven;
        }
    }

    public void Starts(WorkerEntry entry) =>
        pool.Oracle.Holds(entry.Generation == _current, "a generation that cannot start is not started again", $"{entry.Generation} is, {_current} is current");

    /// <summary>The worker uses too much memory: it retires without waiting for a replacement.</summary>
    public void Outgrew(WorkerEntry entry) => _outgrown.Add(entry);

    // ---- checks ----

    /// <summary>Called at the end of every event: nothing changes before the next.</summary>
    public void Remember()
    {
        if (world.Scenario.Renewals == 0)
        {
            return;
        }

        _replaces = false;
        Array.Resize(ref _before, pool.Table.Workers.Length);
        for (var i = 0; i < _before.Length; i++)
        {
            var entry = pool.Table.Workers[i];
            _before[i] = (entry, entry.State, entry.Due != RetirementReason.None);
        }
    }

    /// <summary>Called after every decision, before any worker is started for it.</summary>
    public void Check(string after)
    {
        if (_latest == 0 || pool.Table.IsDraining)
        {
            return;
        }

        // 1. Workers that serve and are of the current generation.
        int before = 0, now = 0;
        foreach (var (entry, state, isDue) in _before)
        {
            before += state is WorkerState.Idle or WorkerState.Busy && !isDue && entry.Generation == _current ? 1 : 0;
        }

        foreach (var entry in pool.Table.Workers)
        {
            now += entry is { State: WorkerState.Idle or WorkerState.Busy, Due: RetirementReason.None } && entry.Generation == _current ? 1 : 0;
        }

        // 2. Workers that retire although they must not.
        foreach (var (entry, state, _) in _before)
        {
            if (state is WorkerState.Idle or WorkerState.Busy && entry.State is WorkerState.Finishing or WorkerState.Retiring
                && entry.Generation != _current && IsFree(entry))
            {
                var isReplaced = _replaces;
                _replaces = false;
                var isFull = pool.Table.Occupied >= pool.Promised.MaxWorkers;
                var isNotNeeded = entry.State == WorkerState.Retiring && Math.Max(before, now) >= pool.Promised.MinWorkers;
                pool.Oracle.Holds(
                    isReplaced || isFull || isNotNeeded, "an old worker stays until a new one is ready",
                    $"{entry.Index}#{entry.Serial}, {now} of {pool.Promised.MinWorkers} are new, after '{after}'");
            }
        }
    }

    /// <summary>The host had no capacity for a worker that the pool requested.</summary>
    public void Refused()
    {
        if (pool.Table.IsDraining || pool.Oracle.Restarts.IsClosed)
        {
            return;
        }

        var serving = pool.Table.Workers.Where(static entry => entry.State is WorkerState.Idle or WorkerState.Busy).ToArray();
        var others = pool.Table.Workers.Count(static entry => entry.State != WorkerState.Absent) - serving.Length;
        pool.Oracle.Holds(
            others > 0 || serving.All(entry => entry.Generation == _current), "an old worker retires if the host has no capacity for its replacement",
            $"{serving.Length} serve, none starts or exits");
    }

    /// <summary>Called when no event is left.</summary>
    public void Rests()
    {
        foreach (var entry in pool.Table.Workers)
        {
            pool.Oracle.Holds(
                entry.State == WorkerState.Absent || entry.Generation == _current, "in the end no worker is of an old generation",
                $"{entry.Index}#{entry.Serial} is {entry.State}, of {entry.Generation}, {_current} is current");
        }
    }

    // The worker has no other reason to retire.
    private bool IsFree(WorkerEntry entry) => entry.Killed == KillReason.None && !_outgrown.Contains(entry) && !(entry.Taken >= entry.MostTasks);
}
