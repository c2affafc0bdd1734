using Weir.IntegrationTests.Faults;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Controls;

/// <summary>A worker that runs several calls at a time: what happens to one of them, and what to all.</summary>
public sealed class ConcurrentTests
{
    private const int AtATime = 4;
    private const int Long = 60_000;
    private const double Soon = 30;

    [Fact]
    public async Task All_that_ran_are_lost_with_their_worker_and_the_rest_moves_on()
    {
        await using var pool = Start();
        var controlled = pool.GetProxy<IControlledClient>();
        var running = await BeginAsync(pool, AtATime, Long);
        var waiting = new[] { Wait(controlled, 1), Wait(controlled, 1) };
        Assert.True(await ProcFiles.EventuallyAsync(() => pool.Snapshot().Queued == waiting.Length, TimeSpan.FromSeconds(Soon)));

        var worker = pool.Snapshot().Workers.Single().ProcessId;
        Assert.Equal(0, Signals.Send(worker, Signals.Kill));

        foreach (var call in running)
        {
            var lost = await Assert.ThrowsAsync<WorkerLostException>(() => call.WithinAsync(Soon));
            Assert.Equal(worker, lost.ProcessId);
        }

        await Task.WhenAll(waiting).WithinAsync(Soon);
        Assert.NotEqual(worker, pool.Snapshot().Workers.Single(static one => one.State is "idle" or "busy").ProcessId);
    }

    [Fact]
    public async Task One_that_is_cancelled_ends_alone()
    {
        await using var pool = Start();
        var controlled = pool.GetProxy<IControlledClient>();
        var others = await BeginAsync(pool, AtATime - 1, 3_000);
        using var leaving = new CancellationTokenSource();
        var left = controlled.Wait(Long, leaving.Token).AsTask();
        await StartedAsync(pool);
        var worker = pool.Snapshot().Workers.Single().ProcessId;

        await leaving.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => left.WithinAsync(Soon));
        await Task.WhenAll(others).WithinAsync(Soon);
        Assert.Equal(worker, pool.Snapshot().Workers.Single().ProcessId);

        // Its place is free again.
        await Task.WhenAll(Enumerable.Range(0, AtATime).Select(_ => Wait(controlled, 1))).WithinAsync(Soon);
    }

    [Fact]
    public async Task One_that_does_not_stop_takes_the_others_with_it_when_its_grace_is_over()
    {
        await using var pool = FreshPool.Start(
            "misbehaviour",
            static options => (options.MinWorkers, options.MaxWorkers, options.Concurrency, options.CancelGrace) = (1, 1, AtATime, TimeSpan.FromMilliseconds(200)));
        var misbehaviour = pool.GetProxy<IMisbehaviourClient>();
        await misbehaviour.Identify(TestContext.Current.CancellationToken);
        var neighbour = misbehaviour.IgnoreCancellation(TestContext.Current.CancellationToken).AsTask();
        using var leaving = new CancellationTokenSource();
        var left = misbehaviour.IgnoreCancellation(leaving.Token).AsTask();
        await StartedAsync(pool);

        await leaving.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => left.WithinAsync(Soon));
        await Assert.ThrowsAsync<WorkerLostException>(() => neighbour.WithinAsync(Soon));
        await misbehaviour.Identify(TestContext.Current.CancellationToken).AsTask().WithinAsync(Soon);
    }

    [Fact]
    public async Task A_drain_waits_for_all_that_run_and_all_that_wait()
    {
        var pool = Start();
        var controlled = pool.GetProxy<IControlledClient>();
        var calls = await BeginAsync(pool, AtATime, 500);
        calls.AddRange([Wait(controlled, 1), Wait(controlled, 1)]);

        await pool.DrainAsync(TestContext.Current.CancellationToken).WithinAsync(Soon);

        Assert.All(calls, static call => Assert.True(call.IsCompletedSuccessfully));
        Assert.Empty(pool.Snapshot().Workers);
    }

    private static WorkerPool Start() =>
        FreshPool.Start("controlled", static options => (options.MinWorkers, options.MaxWorkers, options.Concurrency) = (1, 1, AtATime));

    private static Task<int> Wait(IControlledClient controlled, int milliseconds) =>
        controlled.Wait(milliseconds, TestContext.Current.CancellationToken).AsTask();

    private static async Task<List<Task<int>>> BeginAsync(WorkerPool pool, int count, int milliseconds)
    {
        var controlled = pool.GetProxy<IControlledClient>();
        await Wait(controlled, 0).WithinAsync(Soon);
        var calls = Enumerable.Range(0, count).Select(_ => Wait(controlled, milliseconds)).ToList();
        await StartedAsync(pool);
        return calls;
    }

    // They are with the worker, which says nothing of when it began the last of them.
    private static async Task StartedAsync(WorkerPool pool)
    {
        Assert.True(await ProcFiles.EventuallyAsync(() => pool.Snapshot() is { Queued: 0, Workers: [{ State: "busy" }] }, TimeSpan.FromSeconds(Soon)));
        await Task.Delay(TimeSpan.FromMilliseconds(300), TimeProvider.System, TestContext.Current.CancellationToken);
    }
}
