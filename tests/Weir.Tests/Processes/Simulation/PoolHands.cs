using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes.Simulation;

/// <summary>Executes the actions of one pool. Every action that affects a caller or a worker is checked by the <see cref="Oracle"/>.</summary>
internal sealed class PoolHands(World world, SimulatedPool pool)
{
    // From this generation on no worker can start, while errors are injected.
    private readonly int _breaksAt = world.Random.Next(3) == 0 ? world.Random.Next(1, 3) : int.MaxValue;

    private Oracle Oracle => pool.Oracle;

    public void Execute(PoolAction action)
    {
        var call = (SimulatedCall?)action.Call;
        var worker = action.Worker is { } entry && action.Kind != PoolActionKind.Spawn ? pool.Workers[entry.Index] : null;
        if (world.Traces)
        {
            world.Note($"  {action.Kind} {worker} {call} {action.CallId}");
        }

        switch (action.Kind)
        {
            case PoolActionKind.Admit:
                pool.Submit(call!);
                break;

            case PoolActionKind.Spawn:
                Spawn(action.Worker!);
                break;

            case PoolActionKind.Dispatch:
                Oracle.Dispatched(worker!, call!, action.CallId);
                worker!.Send(action.CallId, call!);
                break;

            case PoolActionKind.Cancel:
                worker!.Cancel(action.CallId);
                break;

            case PoolActionKind.Withdraw:
                break;

            case PoolActionKind.Ping:
                worker!.Ping();
                break;

            case PoolActionKind.Retire:
                Oracle.Retires(worker!);
                worker!.Drain();
                break;

            case PoolActionKind.Kill:
                Oracle.Kills(worker!);
                if (worker!.Entry.Killed != KillReason.IgnoredCancel || world.Mutation != Mutation.NeverKills)
                {
                    worker.Kill();
                }

                break;

            case PoolActionKind.Drained:
                pool.OnDrained();
                break;

            default:
                call!.End(action.Kind.ToString());
                break;
        }
    }

    /// <summary>A worker did not become ready.</summary>
    public void FailToStart(SimulatedWorker worker, bool isDefinite) =>
        pool.Apply(isDefinite ? $"{worker} says why it cannot start" : $"{worker} failed to start", (table, now, actions) =>
        {
            Oracle.Restarts.FailsToStart(worker);
            Oracle.Generations.FailsToStart(worker.Entry, isDefinite);
            WorkerDecisions.StartFailed(table, worker.Entry, isDefinite && world.Mutation != Mutation.TriesTheBroken, now, actions);
        });

    private void Spawn(WorkerEntry entry)
    {
        var worker = new SimulatedWorker(world, pool, entry);
        Oracle.Holds(pool.Workers[entry.Index] is null, "a place has one process", worker.ToString());
        Oracle.Restarts.Starts(entry);
        Oracle.Generations.Starts(entry);
        pool.Workers[entry.Index] = worker;
        var how = entry.Generation >= _breaksAt && world.Chance(1) ? 0 : world.InjectsFault() ? world.Random.Next(3) : 3;
        world.Time.After(world.Random.Next(5, 40), () => Begin(worker, how));
    }

    private void Begin(SimulatedWorker worker, int how)
    {
        if (!worker.IsAlive || worker.Entry.State != WorkerState.Starting)
        {
            return;
        }

        switch (how)
        {
            case 0:
                FailToStart(worker, isDefinite: true);
                worker.Die("it cannot start");
                return;

            case 1:
                worker.Die("while it started");
                return;

            case 2:
                pool.Apply($"{worker} ends its channel", (table, now, actions) => WorkerDecisions.ChannelEnded(table, worker.Entry, 0, now, actions));
                break;
        }

        var isWanted = false;
        pool.Apply($"{worker} is ready", (table, now, actions) =>
        {
            isWanted = WorkerDecisions.Ready(table, worker.Entry, world.Scenario.HaveSharedMemory, now, actions);
            if (isWanted)
            {
                Oracle.Generations.Ready(worker.Entry);
            }
        });

        if (!isWanted)
        {
            worker.Die("it was killed before it was ready");
        }
        else if (pool.Promised.SoftMemoryBytes is { } soft)
        {
            world.Time.After(world.Random.Next(200), () => Measure(worker, soft + world.Random.Next(-500, 500)));
        }
    }

    private void Measure(SimulatedWorker worker, long bytes) => pool.Apply($"{worker} holds {bytes} bytes", (table, now, actions) =>
    {
        if (bytes > pool.Promised.SoftMemoryBytes)
        {
            Oracle.Generations.Outgrew(worker.Entry);
        }

        WorkerDecisions.Measured(table, worker.Entry, bytes, now, actions);
        if (world.Mutation == Mutation.RetiresBusy && worker.Entry.State == WorkerState.Busy)
        {
            table.Busy--;
            Retirement.Exit(table, worker.Entry, now, actions);
        }
    });
}
