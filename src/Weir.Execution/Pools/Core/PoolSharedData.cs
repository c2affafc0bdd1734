using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Shared;

namespace Weir.Execution.Pools.Core;

/// <summary>What a pool keeps for the workers it may start: the shared data of the current generation, and of the last one that worked. Any thread, without the pool's lock.</summary>
/// <param name="core">The pool.</param>
/// <param name="generations">Its configurations.</param>
internal sealed class PoolSharedData(PoolCore core, PoolGenerations<PoolDefinition> generations)
{
    private readonly Lock _gate = new();

    // Under _gate. As many as there are generations in use, and those that are dropped by the next change of a worker.
    private readonly List<SharedDataSet> _sets = [];

    /// <summary>A generation has begun.</summary>
    /// <param name="data">What its workers share; <c>null</c> for nothing.</param>
    public void Add(SharedDataSet? data)
    {
        if (data is not null)
        {
            data.Changed = Trim;
            lock (_gate)
            {
                _sets.Add(data);
            }
        }

        Trim();
    }

    /// <summary>The pool is drained, or was never opened.</summary>
    public void Close() => Drop(static (_, _) => true);

    private void Trim() => Drop(static (used, data) => !used.Contains(data));

    private void Drop(Func<List<SharedDataSet?>, SharedDataSet, bool> isUnused)
    {
        List<SharedDataSet> dropped;
        lock (_gate)
        {
            if (_sets.Count == 0)
            {
                return;
            }

            var used = core.Read(generations, static (table, generations) => generations.InUse(table).Select(static definition => definition.SharedData).ToList());
            dropped = _sets.FindAll(data => isUnused(used, data));
            _sets.RemoveAll(dropped.Contains);
        }

        foreach (var data in dropped)
        {
            data.Drop();
        }
    }
}
