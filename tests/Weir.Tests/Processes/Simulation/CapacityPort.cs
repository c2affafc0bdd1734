using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes.Simulation;

/// <summary>The capacity as one pool sees it. Reserving and releasing it are also the moments before and after workers are started.</summary>
internal sealed class CapacityPort(World world, SimulatedPool pool) : IWorkerCapacity
{
    private int _due;
    private bool _hidesDue;

    public int Reserve(int wanted)
    {
        pool.Oracle.BeforeGrowth();
        var reserved = world.Mutation == Mutation.IgnoresCapacity ? world.Capacity.Take(wanted) : world.Capacity.Reserve(wanted);
        if (reserved < wanted)
        {
            pool.Oracle.Refused();
        }

        if (world.Mutation == Mutation.FreesNoCapacity)
        {
            (_due, pool.Table.Due, _hidesDue) = (pool.Table.Due, 0, true);
        }

        return reserved;
    }

    public void Release(int count)
    {
        world.Capacity.Release(count);
        if (_hidesDue)
        {
            (pool.Table.Due, _hidesDue) = (_due, false);
        }
    }
}
