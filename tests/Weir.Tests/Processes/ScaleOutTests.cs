using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes;

public class ScaleOutTests
{
    [Fact]
    public void Each_call_of_unknown_duration_that_no_starting_worker_will_take_starts_a_worker()
    {
        var pool = Pool(max: 5);
        pool.Call();
        Assert.Equal(0, pool.Table.Starting);
        pool.Call();
        pool.Call();
        Assert.Equal(2, pool.Table.Starting);
    }

    [Fact]
    public void Short_calls_start_no_worker_that_would_be_ready_too_late_for_them()
    {
        // Before a start was measured, its estimate is 15 ms; ten calls of a millisecond are finished by then.
        var pool = Pool(max: 5);
        var time = AheadTests.Known(TimeSpan.FromMilliseconds(1));
        for (var i = 0; i < 11; i++)
        {
            pool.Call(with: call => call.Time = time);
        }

        Assert.Equal(0, pool.Table.Starting);
    }

    [Fact]
    public void A_call_that_waits_for_a_place_starts_a_worker_at_once_if_the_work_lasts_longer_than_a_start()
    {
        // Three calls of 4 ms, one of them with the worker, are finished before a start of 15 ms; with a fourth they are not.
        var pool = Pool(max: 2, queue: 1);
        var time = AheadTests.Known(TimeSpan.FromMilliseconds(4));
        for (var i = 0; i < 3; i++)
        {
            pool.Call(with: call => call.Time = time);
        }

        Assert.Equal(0, pool.Table.Starting);
        var waiting = pool.Call(waits: true, with: call => call.Time = time);
        Assert.Equal((CallState.Waiting, 1), (waiting.State, pool.Table.Starting));
    }

    [Fact]
    public void Work_that_lasts_longer_than_a_start_starts_as_many_workers_as_will_find_work()
    {
        var pool = Pool(max: 10);
        var time = AheadTests.Known(TimeSpan.FromMilliseconds(5));
        for (var i = 0; i < 12; i++)
        {
            pool.Call(with: call => call.Time = time);
        }

        // 60 ms of work: four workers of 15 ms, one of them exists already.
        Assert.Equal(3, pool.Table.Starting);
    }

    [Fact]
    public void A_queue_that_lasts_as_long_as_a_start_starts_one_worker()
    {
        var pool = Pool(max: 5);
        var time = AheadTests.Known(TimeSpan.FromMilliseconds(1));
        for (var i = 0; i < 3; i++)
        {
            pool.Call(with: call => call.Time = time);
        }

        Assert.Equal(TimeSpan.FromMilliseconds(15), pool.Foreseen);
        pool.Now = 0.015;
        pool.Tick();
        Assert.Equal([PoolActionKind.Spawn], pool.LastKinds);
    }

    [Fact]
    public void A_call_that_no_available_worker_will_take_starts_a_worker_at_once()
    {
        var pool = Pool(max: 2);

        // It runs a call of unknown duration.
        pool.Call();
        pool.Call(with: AheadTests.IsShort);
        Assert.Equal([PoolActionKind.Spawn], pool.LastKinds);
    }

    [Fact]
    public void The_duration_of_a_start_is_measured()
    {
        var pool = new PoolSetup(min: 1, max: 2) { HaveSharedMemory = true };
        pool.Now = 0.055;
        pool.Ready(0);
        Assert.Equal(TimeSpan.FromMilliseconds(25), pool.Table.StartTime);
    }

    [Fact]
    public void A_worker_needs_reserved_capacity_and_the_pool_requests_it_again_after_a_second()
    {
        var pool = new PoolSetup(max: 5) { HaveSharedMemory = true, Space = 1 };
        pool.Call();
        pool.Call();
        Assert.Equal(1, pool.Table.Starting);
        Assert.Equal(TimeSpan.FromSeconds(1), PoolDecisions.NextTick(pool.Table));
        pool.Space = 1;
        pool.Now = 1;
        pool.Tick();
        Assert.Equal(2, pool.Table.Starting);
    }

    [Fact]
    public void A_standby_is_started_when_all_have_been_busy_for_as_long_as_a_start_takes_and_no_more_than_one()
    {
        var pool = Pool(max: 5, standby: 1);
        pool.Call();
        Assert.Equal(0, pool.Table.Starting);
        Assert.Equal(TimeSpan.FromMilliseconds(15), pool.Foreseen);
        pool.Now = 0.015;
        pool.Tick();
        Assert.Equal(1, pool.Table.Starting);
        pool.Ready(1);
        pool.Now = 5;
        pool.Tick();
        Assert.Equal(0, pool.Table.Starting);
    }

    [Fact]
    public void A_standby_stays_while_it_is_used_and_retires_at_the_idle_timeout_afterwards()
    {
        var pool = Pool(max: 2, standby: 1);
        for (var i = 0; i < 30; i++)
        {
            // The first worker runs a call most of the time; the second never gets one.
            pool.Now = i;
            pool.Tick();
            var call = pool.Call();
            pool.Started(call.Worker!.Index, call.CallId);
            pool.Now = i + 0.5;
            pool.Tick();
            if (pool.Table.Starting > 0)
            {
                pool.Ready(1);
            }

            pool.Answered(call.Worker!.Index);
        }

        Assert.Equal(2, pool.Table.Idle.Count);
        pool.Now = 39.4;
        pool.Tick();
        Assert.Equal(2, pool.Table.Idle.Count);
        pool.Now = 39.5;
        pool.Tick();
        Assert.Equal([PoolActionKind.Retire], pool.LastKinds);
        Assert.Equal(1, pool.Table.Idle.Count);
    }

    [Fact]
    public void Idle_workers_above_the_minimum_retire_when_other_pools_need_the_capacity()
    {
        var pool = new PoolSetup(min: 1, max: 3);
        pool.FillWorkers();
        for (var i = 0; i < 3; i++)
        {
            pool.Answered(i);
        }

        pool.Do((now, actions) => PoolDecisions.Shrink(pool.Table, 5, now, actions));
        Assert.Equal([PoolActionKind.Retire, PoolActionKind.Retire], pool.LastKinds);
        Assert.Equal(1, pool.Table.Idle.Count);
    }

    private static PoolSetup Pool(int max, int standby = 0, int queue = 50)
    {
        var pool = new PoolSetup(min: 1, max: max, queue: queue, with: settings => settings with { Standby = standby }) { HaveSharedMemory = true };
        pool.Ready(0);
        pool.Table.StartTime = TimeSpan.FromMilliseconds(15);
        return pool;
    }
}
