using Microsoft.Extensions.DependencyInjection;
using Weir.IntegrationTests.Faults;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Workers;
using Xunit;

namespace Weir.IntegrationTests.Controls;

/// <summary>Waiting for a pool to stand, and replacing its workers while calls run.</summary>
public class ReloadTests
{
    [Fact]
    public async Task A_pool_is_ready_when_its_whole_minimum_is()
    {
        await using var pool = new ControlledPool(options => options.MinWorkers = options.MaxWorkers = 3);
        await pool.Runtime.WaitUntilReadyAsync(TestContext.Current.CancellationToken).WithinAsync(20);
        Assert.Equal(["idle", "idle", "idle"], pool.Pool.Workers.Select(worker => worker.State));
    }

    [Fact]
    public async Task A_pool_that_keeps_nothing_is_always_ready()
    {
        await using var pool = new ControlledPool(_ => { });
        await pool.Runtime.WaitUntilReadyAsync(TestContext.Current.CancellationToken).WithinAsync(60);
        Assert.Empty(pool.Pool.Workers);
    }

    [Fact]
    public async Task Waiting_for_a_pool_fails_with_the_reason_why_it_cannot_start()
    {
        await using var pool = new ControlledPool(options =>
        {
            options.MinWorkers = 1;
            options.EnvironmentVariables["WEIR_TEST_COLD"] = "no model here";
        });
        var failure = await Assert.ThrowsAsync<WorkerLostException>(() => pool.Runtime.GetPool("controlled").WaitUntilReadyAsync().WithinAsync(20));
        Assert.Contains("no model here", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Waiting_can_be_cancelled_and_ends_with_the_pool()
    {
        await using var pool = new ControlledPool(options =>
        {
            (options.MinWorkers, options.StartTimeout) = (1, TimeSpan.FromSeconds(60));
            options.EnvironmentVariables["WEIR_TEST_COLD"] = "hangs";
        });
        var controlled = pool.Runtime.GetPool("controlled");
        using var patience = new CancellationTokenSource(50);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => controlled.WaitUntilReadyAsync(patience.Token));
        var waiting = controlled.WaitUntilReadyAsync(TestContext.Current.CancellationToken);
        await pool.DisposeAsync();
        Assert.Equal(WeirCodes.Draining, (await Assert.ThrowsAsync<CallRejectedException>(() => waiting)).Code);
    }

    [Fact]
    public async Task A_reload_gives_new_workers_new_options_and_no_call_fails()
    {
        await using var pool = new ControlledPool(options =>
        {
            (options.MinWorkers, options.MaxWorkers) = (2, 3);
            options.EnvironmentVariables["WORD"] = "old";
        });
        var controlled = pool.Runtime.GetPool("controlled");
        await controlled.WaitUntilReadyAsync(TestContext.Current.CancellationToken).WithinAsync(20);
        var old = pool.Pool.Workers.Select(worker => worker.ProcessId).ToHashSet();

        // Callers before, during and after it.
        using var stop = new CancellationTokenSource();
        var calls = new int[3];
        var callers = Enumerable.Range(0, calls.Length).Select(caller => Task.Run(async () =>
        {
            for (; !stop.IsCancellationRequested; Interlocked.Increment(ref calls[caller]))
            {
                await pool.AskAsync<int>("Wait", """{"milliseconds":3}""");
            }
        })).ToArray();
        Assert.True(await ProcFiles.EventuallyAsync(() => calls.All(static made => made >= 5), TimeSpan.FromSeconds(60)));
        await controlled.ReloadAsync(options => options.EnvironmentVariables["WORD"] = "new", TestContext.Current.CancellationToken).WithinAsync(20);
        Assert.Equal("new", await pool.AskAsync<string>("Variable", """{"name":"WORD"}"""));
        Assert.True(await ProcFiles.EventuallyAsync(() => !old.Any(ProcFiles.IsRunning), TimeSpan.FromSeconds(60)));
        await stop.CancelAsync();
        await Task.WhenAll(callers).WithinAsync(60);
        Assert.Equal("new", await pool.AskAsync<string>("Variable", """{"name":"WORD"}"""));
    }

    [Fact]
    public async Task A_reload_of_a_full_pool_waits_for_no_call_that_runs_long()
    {
        await using var pool = new ControlledPool(options => (options.MinWorkers, options.MaxWorkers) = (1, 1));
        var old = await pool.AskAsync<int>("ProcessId");
        var running = pool.AskAsync<int>("Wait", """{"milliseconds":500}""");
        var reload = pool.Runtime.GetPool("controlled").ReloadAsync(cancellationToken: TestContext.Current.CancellationToken);
        var next = pool.AskAsync<int>("ProcessId");
        Assert.Equal(1, await running);
        await reload.WithinAsync(20);
        Assert.NotEqual(old, await next);
    }

    [Fact]
    public async Task Workers_that_would_not_start_leave_the_old_ones_in_place()
    {
        await using var pool = new ControlledPool(options => (options.MinWorkers, options.MaxWorkers) = (1, 2));
        var old = await pool.AskAsync<int>("ProcessId");
        var controlled = pool.Runtime.GetPool("controlled");
        var failure = await Assert.ThrowsAsync<WorkerLostException>(() =>
            controlled.ReloadAsync(options => options.EnvironmentVariables["WEIR_TEST_COLD"] = "broken").WithinAsync(20));
        Assert.Contains("broken", failure.Message, StringComparison.Ordinal);
        Assert.Equal(old, await pool.AskAsync<int>("ProcessId"));

        await controlled.ReloadAsync(options => options.EnvironmentVariables.Remove("WEIR_TEST_COLD"), TestContext.Current.CancellationToken).WithinAsync(20);
        Assert.NotEqual(old, await pool.AskAsync<int>("ProcessId"));
    }

    [Fact]
    public async Task One_call_replaces_the_workers_of_all_pools()
    {
        await using var pool = new ControlledPool(options => options.MinWorkers = 1);
        await pool.Runtime.WaitUntilReadyAsync(TestContext.Current.CancellationToken).WithinAsync(20);
        var old = await pool.AskAsync<int>("ProcessId");
        await pool.Runtime.ReloadAsync(TestContext.Current.CancellationToken).WithinAsync(60);
        Assert.NotEqual(old, await pool.AskAsync<int>("ProcessId"));
    }

    [Fact]
    public async Task A_program_that_does_not_exist_is_reported_however_early_that_is_known()
    {
        await using var pool = FreshPool.Start("foreign", static options => (options.Command, options.MinWorkers, options.MaxWorkers) = (Interpreters.Python, 1, 2));
        await pool.WaitUntilReadyAsync(TestContext.Current.CancellationToken).WithinAsync(20);
        var old = pool.Snapshot().Workers.Single().ProcessId;
        for (var i = 0; i < 3; i++)
        {
            var failure = await Assert.ThrowsAsync<CallRejectedException>(() => pool.ReloadAsync(static options => options.Command = ["no-such-interpreter"]).WithinAsync(20));
            Assert.Equal(WeirCodes.ProgramMissing, failure.Code);
        }

        Assert.Contains(pool.Snapshot().Workers, worker => worker.ProcessId == old && worker.State == "idle");
    }

    [Fact]
    public async Task What_belongs_to_the_pool_cannot_be_reloaded()
    {
        await using var pool = new ControlledPool(_ => { });
        var controlled = pool.Runtime.GetPool("CONTROLLED");
        var failure = await Assert.ThrowsAsync<InvalidOperationException>(() => controlled.ReloadAsync(options => options.RestartBudget = 9));
        Assert.StartsWith("RestartBudget of pool 'controlled' is 5, and a reload cannot make it 9", failure.Message, StringComparison.Ordinal);
        failure = await Assert.ThrowsAsync<InvalidOperationException>(() => controlled.ReloadAsync(options => options.Processors = [8000]));
        Assert.Contains(WeirCodes.LimitNotApplied, failure.Message, StringComparison.Ordinal);
        Assert.Throws<InvalidOperationException>(() => pool.Runtime.GetPool("unknown"));
    }
}
