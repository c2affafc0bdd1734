using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Controls;

/// <summary>How workers begin, how much they do at a time, and when they are replaced.</summary>
public class LifeTests
{
    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task A_worker_is_warm_before_its_first_call()
    {
        await using var pool = new ControlledPool(_ => { });
        Assert.Equal(1, await pool.AskAsync<int>("WarmUps"));
    }

    [Fact]
    public async Task A_pool_may_do_without()
    {
        await using var pool = new ControlledPool(options => options.WarmUp = false);
        Assert.Equal(0, await pool.AskAsync<int>("WarmUps"));
    }

    [Fact]
    public async Task A_worker_that_cannot_get_warm_does_not_start()
    {
        await using var pool = new ControlledPool(options => options.EnvironmentVariables["WEIR_TEST_COLD"] = "no model here");
        var failure = await Assert.ThrowsAsync<WorkerLostException>(() => pool.AskAsync<int>("WarmUps"));
        Assert.Equal(WeirCodes.WorkerStartFailed, failure.Code);
        Assert.Contains("no model here", failure.Message, StringComparison.Ordinal);
        Assert.Contains("'warm up Weir.IntegrationTests.Services.Controlled'", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Calls_that_wait_run_beside_each_other_where_a_worker_may_have_several()
    {
        await using var pool = new ControlledPool(options => (options.MaxWorkers, options.Concurrency) = (1, 4));
        await pool.AskAsync<int>("ProcessId");
        var together = await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => pool.AskAsync<int>("Wait", """{"milliseconds":300}""")));
        Assert.Equal(4, together.Max());
    }

    [Fact]
    public async Task A_worker_has_one_call_for_itself_otherwise()
    {
        await using var pool = new ControlledPool(options => options.MaxWorkers = 1);
        var together = await Task.WhenAll(Enumerable.Range(0, 3).Select(_ => pool.AskAsync<int>("Wait", """{"milliseconds":50}""")));
        Assert.Equal([1, 1, 1], together);
    }

    [Fact]
    public async Task A_worker_is_replaced_after_so_many_calls_and_no_call_fails()
    {
        await using var pool = new ControlledPool(options => (options.MinWorkers, options.MaxWorkers, options.MaxCallsPerWorker) = (1, 2, 5));
        var calls = new Dictionary<int, int>();
        for (var i = 0; i < 30; i++)
        {
            var worker = await pool.AskAsync<int>("ProcessId");
            calls[worker] = calls.GetValueOrDefault(worker) + 1;
        }

        Assert.InRange(calls.Count, 6, 30);
        Assert.All(calls.Values, count => Assert.InRange(count, 1, 5));
    }

    [Fact]
    public async Task A_worker_is_replaced_when_it_is_old()
    {
        await using var pool = new ControlledPool(options => (options.MinWorkers, options.MaxWorkers, options.MaxWorkerAge) = (1, 2, TimeSpan.FromMilliseconds(300)));
        var first = await pool.AskAsync<int>("ProcessId");
        Assert.True(await ProcFiles.EventuallyAsync(() => pool.Pool.Workers is [{ State: "idle" } worker] && worker.ProcessId != first, Soon));
        Assert.NotEqual(first, await pool.AskAsync<int>("ProcessId"));
    }

    [Fact]
    public async Task A_standby_is_ready_while_every_other_worker_is_busy_and_goes_at_the_idle_timeout()
    {
        await using var pool = new ControlledPool(options =>
            (options.MinWorkers, options.MaxWorkers, options.StandbyWorkers, options.IdleTimeout) = (1, 3, 1, TimeSpan.FromMilliseconds(300)));
        using var checkpoint = new Checkpoint();
        var running = HoldAsync(pool, checkpoint);
        Assert.True(await ProcFiles.EventuallyAsync(() => pool.Pool.Workers is [{ State: "busy" }, { State: "idle" }], Soon));
        var standby = pool.Pool.Workers[1].ProcessId;
        Assert.Equal(standby, await pool.AskAsync<int>("ProcessId"));
        checkpoint.Open();
        await running;
        Assert.True(await ProcFiles.EventuallyAsync(() => pool.Pool.Workers is [{ State: "idle" }], Soon));
    }

    [Fact]
    public async Task A_worker_that_holds_too_much_memory_is_replaced_after_its_call()
    {
        await using var pool = new ControlledPool(options => (options.MinWorkers, options.MaxWorkers, options.StandbyWorkers, options.MemorySoftLimitBytes) = (2, 3, 0, 128 << 20));
        using var checkpoint = new Checkpoint();
        await pool.Runtime.WaitUntilReadyAsync(TestContext.Current.CancellationToken).WithinAsync(Soon.TotalSeconds);

        // 1. One worker holds a little; the other one is busy.
        var busy = HoldAsync(pool, checkpoint);
        await checkpoint.ReachedAsync();
        var small = await pool.AskAsync<int>("Leak", """{"megabytes":10}""");
        checkpoint.Open();

        // 2. Another one, which became idle later and so is the next to be called, holds much.
        await busy;
        var large = await pool.AskAsync<int>("Leak", """{"megabytes":200}""");
        Assert.NotEqual(small, large);

        // 3. Memory is checked once a second: when the large one has left, the small one has been checked too.
        Assert.True(await ProcFiles.EventuallyAsync(() => !ProcFiles.IsRunning(large), Soon));
        Assert.Contains(pool.Pool.Workers, worker => worker.ProcessId == small && worker.State == "idle");
        Assert.NotEqual(large, await pool.AskAsync<int>("ProcessId"));
    }

    private static Task<int> HoldAsync(ControlledPool pool, Checkpoint checkpoint) =>
        pool.AskAsync<int>("Hold", $$"""{"checkpoint":"{{checkpoint.Folder}}"}""");
}
