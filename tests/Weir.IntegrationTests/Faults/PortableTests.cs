using Weir.Execution.Processes.Portable;
using Weir.IntegrationTests.Pools;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Faults;

/// <summary>The launcher for operating systems that cannot pass descriptors to a child keeps the pool's promises too. Run on Linux here.</summary>
public sealed class PortableTests
{
    private const double Soon = 30;

    [Theory]
    [InlineData("exit", "exit code 3")]
    [InlineData("kill", "exit code 137")]
    [InlineData("failfast", "FailFast")]
    public async Task Only_the_call_that_ran_in_the_dead_worker_fails(string how, string cause)
    {
        await using var pool = Start(static options => options.MinWorkers = options.MaxWorkers = 2);
        using var checkpoint = new Checkpoint();
        var misbehaviour = pool.GetProxy<IMisbehaviourClient>();
        var cancellationToken = TestContext.Current.CancellationToken;
        var neighbour = misbehaviour.Hold(checkpoint.Folder, cancellationToken).AsTask();
        await checkpoint.ReachedAsync();

        var error = await Assert.ThrowsAsync<WorkerLostException>(() => CrashAsync(misbehaviour, how).WithinAsync(Soon));

        Assert.Contains(cause, error.Cause, StringComparison.Ordinal);
        Assert.False(neighbour.IsCompleted);
        checkpoint.Open();
        Assert.NotEqual(error.ProcessId, await neighbour.WithinAsync(Soon));
        var answers = await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => misbehaviour.Sleep(20, cancellationToken).AsTask())).WithinAsync(Soon);
        Assert.Equal([20, 20, 20, 20], answers);
    }

    [Fact]
    public async Task A_loop_that_ignores_its_cancellation_is_killed_after_the_grace()
    {
        await using var pool = Start(static options =>
        {
            options.MaxWorkers = 1;
            options.CancelGrace = TimeSpan.FromMilliseconds(100);
        });
        var misbehaviour = pool.GetProxy<IMisbehaviourClient>();
        var processId = await misbehaviour.Identify(TestContext.Current.CancellationToken);
        using var leaving = new CancellationTokenSource();
        var looping = misbehaviour.Loop(leaving.Token).AsTask();
        Assert.True(await ProcFiles.EventuallyAsync(() => ProcFiles.IsBurning(processId), TimeSpan.FromSeconds(Soon)));

        await leaving.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => looping);
        Assert.True(await ProcFiles.EventuallyAsync(() => !ProcFiles.IsRunning(processId), TimeSpan.FromSeconds(Soon)));
        Assert.NotEqual(processId, await misbehaviour.Identify(TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task Draining_lets_running_calls_end_and_leaves_no_process()
    {
        var pool = Start(static options => options.MinWorkers = options.MaxWorkers = 2);
        var misbehaviour = pool.GetProxy<IMisbehaviourClient>();
        var processId = await misbehaviour.Identify(TestContext.Current.CancellationToken);
        var slow = misbehaviour.Sleep(300, TestContext.Current.CancellationToken).AsTask();

        await pool.DrainAsync(TestContext.Current.CancellationToken);

        Assert.Equal(300, await slow.WithinAsync(Soon));
        Assert.False(ProcFiles.IsRunning(processId));
    }

    [Fact]
    public void A_limit_that_cannot_be_applied_is_an_error_at_the_start()
    {
        var error = Assert.Throws<InvalidOperationException>(() => Start(static options => options.MemoryLimitBytes = 256 << 20));
        Assert.StartsWith("Pool 'misbehaviour' cannot be started. MemoryLimitBytes could not be applied: ", error.Message, StringComparison.Ordinal);
        Assert.Contains(WeirCodes.LimitNotApplied, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Priority_and_processors_are_applied_and_what_is_missing_is_said()
    {
        await using var pool = Start(static options =>
        {
            options.BestEffort = true;
            options.Processors = [0];
            options.ProcessLimit = 40;
            options.StandbyWorkers = 0;
        });
        var processId = await pool.GetProxy<IMisbehaviourClient>().Identify(TestContext.Current.CancellationToken);
        using var worker = System.Diagnostics.Process.GetProcessById(processId);
        var limits = pool.Snapshot().Workers.Single().Limits!;
        Assert.Equal(System.Diagnostics.ProcessPriorityClass.BelowNormal, worker.PriorityClass);
        Assert.Equal(worker.PriorityClass, limits.Priority);
        Assert.Equal([0], limits.Processors);
        Assert.StartsWith("ProcessLimit could not be applied", Assert.Single(limits.Missing), StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_user_code_prints_is_captured_and_never_reaches_the_protocol()
    {
        using var log = new RecordedLog();
        await using (var pool = Start(static options => options.MaxWorkers = 1, log))
        {
            await pool.GetProxy<IMisbehaviourClient>().Print("printed in a worker", 3, TestContext.Current.CancellationToken);
        }

        // Once on stdout and once on stderr, each time.
        Assert.Equal(6, log.Records.Count(static record => record.Text.Contains("printed in a worker", StringComparison.Ordinal)));
    }

    private static WorkerPool Start(Action<PoolOptions> configure, RecordedLog? log = null) => FreshPool.Start(
        "misbehaviour",
        options =>
        {
            options.Launcher = new PortableLauncher();
            configure(options);
        },
        log);

    private static async Task<int> CrashAsync(IMisbehaviourClient misbehaviour, string how)
    {
        await (how switch
        {
            "exit" => misbehaviour.Exit(3),
            "kill" => misbehaviour.SelfKill(),
            _ => misbehaviour.FailFast("on purpose"),
        });
        return 0;
    }
}
