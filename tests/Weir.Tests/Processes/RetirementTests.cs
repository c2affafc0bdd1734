using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes;

public class RetirementTests
{
    [Fact]
    public void An_old_worker_retires_when_its_replacement_is_ready()
    {
        var pool = Pool(min: 1, max: 2, settings => settings with { MostAge = TimeSpan.FromSeconds(100) });
        var age = pool[0].OldAt!.Value;
        Assert.InRange(age, TimeSpan.FromSeconds(90), TimeSpan.FromSeconds(100));
        Assert.Equal(age, pool.Foreseen);
        pool.Now = age.TotalSeconds;
        pool.Tick();
        Assert.Equal([PoolActionKind.Spawn], pool.LastKinds);
        Assert.Equal(WorkerState.Idle, pool[0].State);
        pool.Ready(1);
        Assert.Equal([new PoolAction(PoolActionKind.Retire, pool[0], null)], pool.Last);
    }

    [Fact]
    public void A_worker_that_retires_knows_why()
    {
        var pool = Pool(min: 1, max: 2, settings => settings with { MostAge = TimeSpan.FromSeconds(100), IdleTimeout = TimeSpan.FromSeconds(10) });
        Assert.Equal(RetirementReason.None, pool[0].Retired);
        pool.Now = 100;
        pool.Tick();
        pool.Ready(1);
        Assert.Equal(RetirementReason.Age, pool[0].Retired);

        pool = Pool(min: 0, max: 1, settings => settings with { IdleTimeout = TimeSpan.FromSeconds(10) });
        pool.Call();
        pool.Ready(0);
        pool.Started(0);
        pool.Answered(0);
        pool.Now += 1000;
        pool.Tick();
        Assert.Equal(RetirementReason.Idle, pool[0].Retired);
    }

    [Fact]
    public void An_old_worker_finishes_its_calls_first()
    {
        var pool = Pool(min: 1, max: 2, settings => settings with { MostAge = TimeSpan.FromSeconds(100) });
        pool.Call();
        pool.Started(0);
        pool.Now = 100;
        pool.Tick();
        pool.Ready(1);
        Assert.Equal(WorkerState.Finishing, pool[0].State);
        Assert.Same(pool[1], pool.Call().Worker);
        pool.Answered(0);
        Assert.Equal([new PoolAction(PoolActionKind.Retire, pool[0], null)], pool.Last);
    }

    [Fact]
    public void At_the_maximum_a_worker_retires_before_its_replacement_starts()
    {
        var pool = Pool(min: 2, max: 2, settings => settings with { MostAge = TimeSpan.FromSeconds(100) });
        pool.Now = 100;
        pool.Tick();
        Assert.Equal([PoolActionKind.Retire], pool.LastKinds);
        var gone = pool.Last[0].Worker!.Index;
        pool.ChannelEnded(gone);
        pool.Reaped(gone);
        Assert.Equal([PoolActionKind.Spawn], pool.LastKinds);

        // The other one retires when that replacement is ready.
        pool.Ready(gone);
        Assert.Equal([PoolActionKind.Retire], pool.LastKinds);
    }

    [Fact]
    public void If_the_host_has_no_capacity_for_a_replacement_a_worker_retires_first_preferably_an_idle_one()
    {
        var pool = Pool(min: 2, max: 4, static settings => settings);
        pool.Started(pool.Call().Worker!.Index);
        var busy = pool.Table.Workers.Single(worker => worker.State == WorkerState.Busy);
        var idle = pool.Table.Workers.Single(worker => worker.State == WorkerState.Idle);

        // 1. No worker can be started beside the two: the idle one retires, the busy one stays.
        pool.Space = 0;
        pool.Do((now, actions) => PoolDecisions.Renew(pool.Table, now, actions));
        Assert.Equal([new PoolAction(PoolActionKind.Retire, idle, null)], pool.Last);
        Assert.Equal(WorkerState.Busy, busy.State);

        // 2. No other worker retires before it has exited.
        pool.Now = 1;
        pool.Tick();
        Assert.Empty(pool.Last);

        // 3. Its replacement uses its capacity, and then the other worker retires.
        pool.ChannelEnded(idle.Index);
        pool.Space = 1;
        pool.Reaped(idle.Index);
        Assert.Equal([PoolActionKind.Spawn], pool.LastKinds);
        pool.Ready(idle.Index);
        Assert.Equal(WorkerState.Finishing, busy.State);
    }

    [Fact]
    public void At_the_maximum_a_worker_is_replaced_when_the_pause_of_starts_is_over()
    {
        var pool = Pool(min: 2, max: 2, static settings => settings with { RestartBudget = 1 });
        pool.Table.Restarts.Strike(pool.Time);
        pool.Do((now, actions) => PoolDecisions.Renew(pool.Table, now, actions));
        Assert.Empty(pool.Last);
        Assert.Equal(RestartBudget.FirstPause, pool.Foreseen);
        pool.Now = 1;
        pool.Tick();
        Assert.Equal([PoolActionKind.Retire], pool.LastKinds);
    }

    [Fact]
    public void Without_host_capacity_no_worker_retires_that_is_not_replaced()
    {
        var pool = Pool(min: 2, max: 4, static settings => settings);
        pool.Started(pool.Call().Worker!.Index);
        pool.Started(pool.Call().Worker!.Index);
        pool.Space = 0;
        Assert.Equal(CallState.Queued, pool.Call().State);
        Assert.Equal((2, 2), (pool.Table.Live, pool.Table.Occupied));
    }

    [Fact]
    public void A_worker_runs_no_more_calls_than_its_limit_and_is_replaced_in_time()
    {
        var pool = Pool(min: 1, max: 2, settings => settings with { MostTasks = 9 });
        for (var i = 0; i < 7; i++)
        {
            pool.Call();
            pool.Started(0);
            pool.Answered(0);
            Assert.Equal(0, pool.Table.Starting);
        }

        pool.Call();
        Assert.Equal(1, pool.Table.Starting);
        pool.Started(0);
        pool.Answered(0);
        pool.Call();
        Assert.Equal(WorkerState.Finishing, pool[0].State);
        pool.Started(0);
        pool.Answered(0);
        Assert.Equal([PoolActionKind.Retire], pool.LastKinds);
    }

    [Fact]
    public void One_call_per_worker_means_one()
    {
        var pool = Pool(min: 0, max: 1, settings => settings with { MostTasks = 1 });
        pool.Call();
        pool.Ready(0);
        var second = pool.Call();
        pool.Started(0);
        pool.Answered(0);
        Assert.Equal([PoolActionKind.Retire], pool.LastKinds);
        Assert.Equal(CallState.Queued, second.State);
        pool.ChannelEnded(0);
        pool.Reaped(0);
        pool.Ready(0);
        Assert.Equal(CallState.Sent, second.State);
    }

    [Fact]
    public void A_worker_that_uses_too_much_memory_retires_after_its_calls_without_waiting_for_a_replacement()
    {
        var pool = Pool(min: 1, max: 2, settings => settings with { SoftMemoryBytes = 1000 });
        pool.Do((now, actions) => WorkerDecisions.Measured(pool.Table, pool[0], 1000, now, actions));
        Assert.Equal(WorkerState.Idle, pool[0].State);
        pool.Call();
        pool.Do((now, actions) => WorkerDecisions.Measured(pool.Table, pool[0], 1001, now, actions));
        Assert.Equal(WorkerState.Finishing, pool[0].State);
        Assert.Equal([PoolActionKind.Spawn], pool.LastKinds);
        pool.Started(0);
        pool.Answered(0);
        Assert.Equal([PoolActionKind.Retire], pool.LastKinds);
    }

    [Fact]
    public void A_new_generation_replaces_busy_workers_one_by_one_without_a_gap()
    {
        var pool = Pool(min: 1, max: 4, settings => settings with { QueueLimit = 10 });
        pool.Call();
        pool.Call();
        pool.Ready(1);
        pool.Do((now, actions) => PoolDecisions.Renew(pool.Table, now, actions));
        Assert.Equal(1, pool.Table.Starting);
        pool.Ready(2);
        Assert.Equal(1, pool.Table.Workers.Count(static worker => worker.State == WorkerState.Finishing));
        Assert.Equal(1, pool.Table.Starting);
        pool.Ready(3);
        Assert.Equal(2, pool.Table.Workers.Count(static worker => worker.State == WorkerState.Finishing));
        Assert.Equal(0, pool.Table.Due);
        Assert.All(pool.Table.Workers.Where(static worker => worker.State == WorkerState.Idle), static worker => Assert.Equal(1, worker.Generation));
    }

    [Fact]
    public void Idle_workers_above_the_minimum_retire_with_their_generation_and_starting_ones_are_killed()
    {
        var pool = new PoolSetup(min: 0, max: 3);
        pool.FillWorkers();
        pool.Answered(0);
        pool.ChannelEnded(1);
        pool.Reaped(1);
        pool.Call();
        pool.Call();
        pool.Do((now, actions) => PoolDecisions.Renew(pool.Table, now, actions));
        Assert.Contains(pool.Last, action => action.Kind == PoolActionKind.Kill && action.Worker!.State == WorkerState.Starting);
    }

    [Fact]
    public void A_generation_that_cannot_start_leaves_the_old_one_in_place()
    {
        var pool = Pool(min: 1, max: 2, static settings => settings);
        pool.Do((now, actions) => PoolDecisions.Renew(pool.Table, now, actions));
        Assert.Equal(1, pool.Table.Starting);
        pool.StartFailed(1);
        pool.Reaped(1);
        Assert.Equal((0, 0), (pool.Table.Due, pool.Table.Starting));
        Assert.Equal(CallState.Sent, pool.Call().State);
        pool.Call();
        Assert.Equal([0], pool.Last.Select(static action => action.Worker!.Generation));

        // The next generation has a new number.
        pool.Do((now, actions) => PoolDecisions.Renew(pool.Table, now, actions));
        Assert.Equal(2, pool.Table.Generation);
    }

    [Fact]
    public void If_a_generation_cannot_start_its_starting_workers_are_killed()
    {
        var pool = Pool(min: 2, max: 4, static settings => settings);
        pool.Do((now, actions) => PoolDecisions.Renew(pool.Table, now, actions));
        Assert.Equal(2, pool.Table.Starting);
        pool.StartFailed(2);
        Assert.Contains(pool.Last, action => action.Kind == PoolActionKind.Kill && action.Worker == pool[3]);
        Assert.False(pool.Ready(3));
        Assert.Equal(0, pool.Table.ProvenGeneration);
        Assert.Equal((2, 0), (pool.Table.Live, pool.Table.Due));
    }

    [Fact]
    public void If_the_old_worker_retired_first_it_is_started_again_and_no_call_fails()
    {
        var pool = Pool(min: 1, max: 1, static settings => settings);
        pool.Do((now, actions) => PoolDecisions.Renew(pool.Table, now, actions));
        Assert.Equal([PoolActionKind.Retire], pool.LastKinds);
        var call = pool.Call();
        pool.ChannelEnded(0);
        pool.Reaped(0);
        Assert.Equal(1, pool[0].Generation);
        pool.StartFailed(0);
        pool.Reaped(0);
        Assert.Equal((WorkerState.Starting, 0), (pool[0].State, pool[0].Generation));
        pool.Ready(0);
        Assert.Equal(CallState.Sent, call.State);
    }

    [Fact]
    public void A_replacement_does_not_count_for_the_minimum_before_it_is_ready()
    {
        var pool = Pool(min: 1, max: 3, settings => settings with { MostAge = TimeSpan.FromSeconds(20) });
        pool.Now = 20;
        pool.Tick();
        Assert.Equal(1, pool.Table.Starting);
        pool.Now = 100;
        pool.Tick();
        Assert.Equal(WorkerState.Idle, pool[0].State);
    }

    private static PoolSetup Pool(int min, int max, Func<PoolSettings, PoolSettings> with)
    {
        var pool = new PoolSetup(min: min, max: max, with: with);
        for (var i = 0; i < min; i++)
        {
            pool.Ready(i);
        }

        return pool;
    }
}
