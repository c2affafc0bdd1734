using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Weir.IntegrationTests.Watching;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.Faults;

/// <summary>A worker that fails in any way: exactly its running call fails, and the pool continues.</summary>
public sealed class CrashTests
{
    private const double Soon = 30;

    public static TheoryData<string, string> Crashes => new()
    {
        { "exit", "exit code 3" },
        { "unhandled", "SIGABRT" },
        { "overflow", "SIGABRT" },
        { "segv", "SIGSEGV" },
        { "kill", "SIGKILL" },
        { "failfast", "SIGABRT" },
    };

    [Fact]
    public async Task A_result_that_holds_itself_is_a_failure_and_the_worker_survives()
    {
        await using var pool = FreshPool.Start("misbehaviour", static options => options.MinWorkers = options.MaxWorkers = 1);
        var misbehaviour = pool.GetProxy<IMisbehaviourClient>();
        var cancellationToken = TestContext.Current.CancellationToken;
        var worker = await misbehaviour.Identify(cancellationToken).AsTask().WithinAsync(Soon);
        var error = await Assert.ThrowsAsync<RemoteException>(() => misbehaviour.Cycle(cancellationToken).AsTask().WithinAsync(Soon));
        Assert.Contains("more than 64 levels", error.Message, StringComparison.Ordinal);
        Assert.Equal(worker, await misbehaviour.Identify(cancellationToken).AsTask().WithinAsync(Soon));
    }

    [Theory]
    [MemberData(nameof(Crashes))]
    public async Task Only_the_call_that_ran_in_the_dead_worker_fails(string how, string cause)
    {
        await using var pool = FreshPool.Start("misbehaviour", static options => options.MinWorkers = options.MaxWorkers = 2);
        using var checkpoint = new Checkpoint();
        var misbehaviour = pool.GetProxy<IMisbehaviourClient>();
        var cancellationToken = TestContext.Current.CancellationToken;

        // Another call runs in the other worker while the first worker fails.
        var neighbour = misbehaviour.Hold(checkpoint.Folder, cancellationToken).AsTask();
        await checkpoint.ReachedAsync();
        var error = await Assert.ThrowsAsync<WorkerLostException>(() => Crash(misbehaviour, how).WithinAsync(Soon));

        Assert.Equal(CallStatus.WorkerLost, error.Status);
        Assert.Equal("misbehaviour", error.Pool);
        Assert.Contains(cause, error.Cause, StringComparison.Ordinal);
        Assert.NotEqual(0, error.ProcessId);
        Assert.False(neighbour.IsCompleted);
        checkpoint.Open();
        Assert.NotEqual(error.ProcessId, await neighbour.WithinAsync(Soon));

        // The pool is whole again: twice as many calls as workers, side by side.
        var answers = await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => misbehaviour.Sleep(20, cancellationToken).AsTask())).WithinAsync(Soon);
        Assert.Equal([20, 20, 20, 20], answers);
    }

    [Fact]
    public async Task Calls_that_wait_behind_a_crash_run_in_another_worker()
    {
        await using var pool = FreshPool.Start("misbehaviour", static options => options.MinWorkers = options.MaxWorkers = 1);
        var misbehaviour = pool.GetProxy<IMisbehaviourClient>();
        var cancellationToken = TestContext.Current.CancellationToken;

        var crash = misbehaviour.SelfKill(cancellationToken).AsTask();
        var waiting = Enumerable.Range(0, 20).Select(_ => misbehaviour.Sleep(1, cancellationToken).AsTask()).ToArray();

        await Assert.ThrowsAsync<WorkerLostException>(() => crash);
        Assert.All(await Task.WhenAll(waiting).WithinAsync(Soon), static answer => Assert.Equal(1, answer));
    }

    [Fact]
    public async Task A_stream_whose_worker_dies_delivers_its_items_and_then_the_loss()
    {
        await using var pool = FreshPool.Start("misbehaviour", static options => options.MaxWorkers = 1);
        var items = new List<int>();

        await Assert.ThrowsAsync<WorkerLostException>(async () =>
        {
            await foreach (var item in pool.GetProxy<IMisbehaviourClient>().DieAfter(100, TestContext.Current.CancellationToken))
            {
                items.Add(item);
            }
        });

        Assert.Equal(Enumerable.Range(0, 100), items);
    }

    [Fact]
    public async Task A_loop_that_ignores_its_cancellation_is_killed_after_the_grace()
    {
        await using var pool = FreshPool.Start("misbehaviour", static options =>
        {
            options.MaxWorkers = 1;
            options.CancelGrace = TimeSpan.FromMilliseconds(200);
        });
        var misbehaviour = pool.GetProxy<IMisbehaviourClient>();
        var processId = await misbehaviour.Identify(TestContext.Current.CancellationToken);
        using var leaving = new CancellationTokenSource();
        var looping = misbehaviour.Loop(leaving.Token).AsTask();
        Assert.True(await ProcFiles.EventuallyAsync(() => ProcFiles.IsBurning(processId), TimeSpan.FromSeconds(Soon)));

        // The process ends after the grace, and another one takes its place.
        await leaving.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => looping);
        Assert.True(await ProcFiles.EventuallyAsync(() => !ProcFiles.IsRunning(processId), TimeSpan.FromSeconds(Soon)));
        Assert.NotEqual(processId, await misbehaviour.Identify(TestContext.Current.CancellationToken));
    }

    [Theory]
    [InlineData(null, 3)]
    [InlineData(0, 1)]
    [InlineData(1, 2)]
    public async Task A_call_is_run_again_as_often_as_its_request_says(int? retries, int runs)
    {
        var launcher = new WatchedLauncher();
        await using var pool = FreshPool.Start("misbehaviour", options =>
        {
            (options.MinWorkers, options.MaxWorkers) = (0, 1); // None replaces the last one.
            options.MaxRetries = 2;
            options.QuarantineKills = 0;
            options.Launcher = launcher;
        });
        var operation = FreshPool.Catalogs.Services.Single(static service => service.Name == "Misbehaviour").Operations.Single(static operation => operation.Name == "ExitAgain");

        await Assert.ThrowsAsync<WorkerLostException>(async () => await pool.Pipeline.RunAsync(
            operation.CreateCall(operation), new CallRequest { Retries = retries, CancellationToken = TestContext.Current.CancellationToken }));
        Assert.Equal(runs, launcher.Workers.Count);
    }

    [Fact]
    public async Task A_deadline_ends_a_loop_too()
    {
        await using var pool = FreshPool.Start("misbehaviour", static options =>
        {
            options.MaxWorkers = 1;
            options.CancelGrace = TimeSpan.FromMilliseconds(100);
        });
        var operation = FreshPool.Catalogs.Services.Single(static service => service.Name == "Misbehaviour").Operations.Single(static operation => operation.Name == "Loop");

        await Assert.ThrowsAsync<DeadlineExceededException>(async () => await pool.Pipeline.RunAsync(
            operation.CreateCall(operation), new CallRequest { Admission = CallAdmission.Wait, TimeLimit = TimeSpan.FromMilliseconds(100) }));
        Assert.NotEqual(0, await pool.GetProxy<IMisbehaviourClient>().Identify(TestContext.Current.CancellationToken));
    }

    private static async Task<int> Crash(IMisbehaviourClient misbehaviour, string how)
    {
        await (how switch
        {
            "exit" => misbehaviour.Exit(3),
            "unhandled" => misbehaviour.Unhandled(),
            "overflow" => Ignore(misbehaviour.Overflow(0)),
            "segv" => misbehaviour.Segv(),
            "kill" => misbehaviour.SelfKill(),
            _ => misbehaviour.FailFast("on purpose"),
        });
        return 0;

        static async ValueTask Ignore(ValueTask<int> call) => await call;
    }
}
