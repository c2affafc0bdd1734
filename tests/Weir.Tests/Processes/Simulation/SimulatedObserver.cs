using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes.Simulation;

/// <summary>After every event of one pool: those who wait whether it is ready, and the checks of the <see cref="Oracle"/>.</summary>
internal sealed class SimulatedObserver(World world, SimulatedPool pool) : IPoolObserver
{
    public ReadinessWaiters Readiness { get; } = new();

    public bool MeasuresWaits => true;

    public void Waited(ReadOnlySpan<TimeSpan> times)
    {
        foreach (var time in times)
        {
            pool.Oracle.Holds(time >= TimeSpan.Zero && time <= world.Now, "a call waits for no longer than the pool exists", $"{time}");
        }
    }

    public void CannotStart(int generation, FailedStart failure) => Readiness.Fail(generation, new InvalidOperationException(failure.Detail));

    public void Decided(PoolTable table, TimeSpan now, FailedStart? lastFailure)
    {
        if (world.Mutation == Mutation.ForgetsPauses && !table.Restarts.IsClosed(now))
        {
            table.Restarts.Forgive();
        }

        if (world.Mutation != Mutation.ForgetsWaiters)
        {
            Readiness.Check(table, now, () =>
            {
                pool.Oracle.Holds(table.IsDraining || lastFailure is not null, "a pool whose workers cannot start says why", "");
                return new InvalidOperationException();
            });
        }

        if (world.Mutation == Mutation.FailsWaiters)
        {
            Readiness.Fail(table.Generation, new InvalidOperationException());
        }

        pool.Oracle.Decided();
    }

    public void CallbackFailed(Exception failure, string work) =>
        pool.Oracle.Holds(failure is SimulatedFailure, "only failures that were injected are reported", $"{work}: {failure}");
}
