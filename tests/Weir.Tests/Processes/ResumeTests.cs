using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes;

/// <summary>A host that was suspended has read nothing during that time: it kills no worker because of messages that it has not read.</summary>
public class ResumeTests
{
    [Fact]
    public void The_grace_of_a_cancelled_call_restarts_when_the_host_resumes()
    {
        var pool = new PoolSetup(max: 1, grace: 2);
        var call = pool.Call();
        pool.Ready(0);
        pool.Started(0);
        pool.Leave(call);

        Resume(pool, 10);
        Assert.Empty(pool.Last);
        Assert.Equal(TimeSpan.FromSeconds(12), pool.Foreseen);
        pool.Now = 11.9;
        pool.Tick();
        Assert.Empty(pool.Last);
        pool.Now = 12;
        pool.Tick();
        Assert.Equal([PoolActionKind.Kill], pool.LastKinds);
    }

    [Fact]
    public void The_time_to_exit_of_a_retiring_worker_restarts()
    {
        var pool = new PoolSetup(max: 1);
        pool.Call();
        pool.Ready(0);
        pool.Started(0);
        pool.Answered(0);
        pool.Drain();
        Assert.Equal(WorkerState.Retiring, pool[0].State);

        Resume(pool, 10);
        Assert.Empty(pool.Last);
        pool.Now = 12;
        pool.Tick();
        Assert.Equal([PoolActionKind.Kill], pool.LastKinds);
    }

    [Fact]
    public void A_worker_that_has_not_started_its_call_is_sent_a_PING_and_has_time_to_answer()
    {
        var pool = new PoolSetup(max: 1) { HaveSharedMemory = true };
        pool.Call();
        pool.Ready(0);

        // 1. The time to start the call counts from when the host resumes.
        Resume(pool, 30);
        Assert.DoesNotContain(PoolActionKind.Kill, pool.LastKinds);
        Assert.Null(pool[0].PingedAt);
        pool.Now = 31;
        pool.Tick();
        Assert.Contains(PoolActionKind.Ping, pool.LastKinds);

        // 2. So does the time for a PING whose answer may be unread.
        Resume(pool, 200);
        Assert.DoesNotContain(PoolActionKind.Kill, pool.LastKinds);
        pool.Now = 210;
        pool.Tick();
        Assert.Equal(KillReason.Stalled, pool[0].Killed);
    }

    [Theory]
    [InlineData(2)]
    [InlineData(Watchdog.MostResumptions)]
    public void A_host_that_stands_still_again_and_again_kills_no_worker_that_it_has_not_given_the_grace_while_it_ran(int stops)
    {
        var pool = PoolWithIgnoredCancel();
        var at = 0.0;
        for (var i = 0; i < stops; i++)
        {
            at += 6.5;
            Resume(pool, at);
            Assert.Empty(pool.Last);
            pool.Now = at + 1.9;
            pool.Tick();
            Assert.Empty(pool.Last);
        }

        pool.Now = at + 2;
        pool.Tick();
        Assert.Equal([PoolActionKind.Kill], pool.LastKinds);
    }

    [Fact]
    public void A_host_that_stands_still_very_often_still_kills_a_worker_that_ignores_a_cancel_but_not_before_it_has_read_what_the_worker_sent()
    {
        var pool = PoolWithIgnoredCancel();
        for (var stop = 1; stop <= Watchdog.MostResumptions + 5; stop++)
        {
            Resume(pool, 2.6 * stop);
            Assert.Empty(pool.Last);
        }

        pool.Now += 0.49;
        pool.Tick();
        Assert.Empty(pool.Last);
        pool.Now += 0.01;
        pool.Tick();
        Assert.Equal([PoolActionKind.Kill], pool.LastKinds);
    }

    [Fact]
    public void The_times_begin_again_as_often_as_before_after_a_while_without_a_stop()
    {
        var pool = new PoolSetup(max: 1, grace: 2, with: settings => settings with { StallTimeout = null });
        for (var stop = 1; stop <= 2 * Watchdog.MostResumptions; stop++)
        {
            Resume(pool, 2.6 * stop);
        }

        var call = pool.Call();
        pool.Ready(0);
        pool.Started(0);
        pool.Leave(call);
        var at = pool.Now + 10;
        Resume(pool, at);
        pool.Now = at + 1.9;
        pool.Tick();
        Assert.Empty(pool.Last);
    }

    private static PoolSetup PoolWithIgnoredCancel()
    {
        var pool = new PoolSetup(max: 1, grace: 2, with: settings => settings with { StallTimeout = null });
        var call = pool.Call();
        pool.Ready(0);
        pool.Started(0);
        pool.Leave(call);
        return pool;
    }

    private static void Resume(PoolSetup pool, double at)
    {
        pool.Now = at;
        pool.Do((now, actions) =>
        {
            PoolDecisions.Resume(pool.Table, now);
            PoolDecisions.Tick(pool.Table, now, actions);
        });
    }
}
