using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes;

/// <summary>Frames for which only an overwritten word of the shared memory would have woken the host or the worker.</summary>
public sealed class MissedWakesTests
{
    [Fact]
    public void A_worker_that_missed_a_wake_is_sent_a_PING_within_a_second()
    {
        var pool = RunningCall(hasSharedMemory: true);
        Assert.InRange(PoolDecisions.NextTick(pool.Table)!.Value, TimeSpan.Zero, MissedWakes.Interval);
        pool.Now = 1;
        pool[0].MissedWake = true;
        pool.Tick();
        Assert.Equal([PoolActionKind.Ping], pool.LastKinds);

        // One at a time.
        pool.Now = 2;
        pool.Tick();
        Assert.Empty(pool.Last);
        pool.Ponged(0);
        pool.Now = 3;
        pool.Tick();
        Assert.Equal([PoolActionKind.Ping], pool.LastKinds);
    }

    [Fact]
    public void A_worker_is_sent_no_more_than_one_PING_a_second_regardless_of_the_number_of_checks()
    {
        var pool = RunningCall(hasSharedMemory: true);
        pool[0].MissedWake = true;
        var pings = 0;
        for (var look = 1; look <= 100; look++)
        {
            pool.Now = 1 + (look * 0.05);
            pool.Tick();
            pings += pool.LastKinds.Count(static kind => kind == PoolActionKind.Ping);
            pool.Ponged(0);
        }

        Assert.Equal(5, pings);
    }

    [Fact]
    public void A_worker_whose_answers_were_read_is_checked_again_and_gets_no_PING()
    {
        var pool = RunningCall(hasSharedMemory: true);
        for (var second = 1; second < 60; second++)
        {
            pool.Now = second;
            pool.Tick();
            Assert.Empty(pool.Last);
            Assert.InRange(PoolDecisions.NextTick(pool.Table)!.Value.TotalSeconds, second, second + 1);
        }
    }

    [Fact]
    public void A_worker_without_calls_is_not_checked()
    {
        var pool = RunningCall(hasSharedMemory: true);
        pool.Answered(0, pool[0].Sent.First!);
        pool.Now = 1;
        pool.Tick();
        Assert.Null(PoolDecisions.NextTick(pool.Table));
    }

    [Fact]
    public void A_worker_without_shared_memory_is_not_checked()
    {
        var pool = RunningCall(hasSharedMemory: false);
        pool.Now = 1;
        pool.Tick();
        Assert.Null(PoolDecisions.NextTick(pool.Table));
    }

    private static PoolSetup RunningCall(bool hasSharedMemory)
    {
        var pool = new PoolSetup(min: 1, max: 1, with: static settings => settings with { IdleTimeout = null }) { HaveSharedMemory = hasSharedMemory };
        pool.Ready(0);
        pool.Call();
        pool.Started(0, 1);
        return pool;
    }
}
