using Weir.IntegrationTests.Faults;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Controls;

/// <summary>A worker that runs several calls at a time: what happens to one of them, and what to all.</summary>
public sealed class ConcurrentTests
{
    private const int AtATime = 4;
    private const double Soon = 60;

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task All_that_ran_are_lost_with_their_worker_and_the_rest_run_in_another_one()
    {
        await using var pool = Start();
        using var checkpoint = new Checkpoint();
        var controlled = pool.GetProxy<IControlledClient>();
        var running = Hold(controlled, checkpoint, AtATime);
        await checkpoint.ReachedAsync(AtATime);
        var waiting = new[] { Wait(controlled), Wait(controlled) };
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
        using var checkpoint = new Checkpoint();
        var controlled = pool.GetProxy<IControlledClient>();
        var others = Hold(controlled, checkpoint, AtATime - 1);
        using var leaving = new CancellationTokenSource();
        var left = controlled.Hold(checkpoint.Folder, leaving.Token).AsTask();
        await checkpoint.ReachedAsync(AtATime);
        var worker = pool.Snapshot().Workers.Single().ProcessId;

        await leaving.CancelAsync();

        // Its slot is free again while the others run.
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => left.WithinAsync(Soon));
        await Wait(controlled).WithinAsync(Soon);
        Assert.All(others, static call => Assert.False(call.IsCompleted));

        checkpoint.Open();
        Assert.All(await Task.WhenAll(others).WithinAsync(Soon), process => Assert.Equal(worker, process));
        Assert.Equal(worker, pool.Snapshot().Workers.Single().ProcessId);
    }

    [Fact]
    public async Task One_that_does_not_stop_takes_the_others_with_it_when_its_grace_is_over()
    {
        await using var pool = FreshPool.Start(
            "misbehaviour",
            static options => (options.MinWorkers, options.MaxWorkers, options.Concurrency, options.CancelGrace) = (1, 1, AtATime, TimeSpan.FromMilliseconds(200)));
        using var checkpoint = new Checkpoint();
        var misbehaviour = pool.GetProxy<IMisbehaviourClient>();
        var neighbour = misbehaviour.Hold(checkpoint.Folder, Token).AsTask();
        using var leaving = new CancellationTokenSource();
        var left = misbehaviour.Hold(checkpoint.Folder, leaving.Token).AsTask();
        await checkpoint.ReachedAsync(2);

        await leaving.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => left.WithinAsync(Soon));
        await Assert.ThrowsAsync<WorkerLostException>(() => neighbour.WithinAsync(Soon));
        await misbehaviour.Identify(Token).AsTask().WithinAsync(Soon);
    }

    [Fact]
    public async Task A_drain_waits_for_all_that_run_and_all_that_wait()
    {
        var pool = Start();
        using var checkpoint = new Checkpoint();
        var controlled = pool.GetProxy<IControlledClient>();
        var running = Hold(controlled, checkpoint, AtATime);
        await checkpoint.ReachedAsync(AtATime);
        var waiting = new[] { Wait(controlled), Wait(controlled) };

        var draining = pool.DrainAsync(Token);
        Assert.True(pool.Snapshot().IsDraining);
        Assert.False(draining.IsCompleted);
        checkpoint.Open();
        await draining.WithinAsync(Soon);

        Assert.All(running.Concat(waiting), static call => Assert.True(call.IsCompletedSuccessfully));
        Assert.Empty(pool.Snapshot().Workers);
    }

    private static WorkerPool Start() =>
        FreshPool.Start("controlled", static options => (options.MinWorkers, options.MaxWorkers, options.Concurrency) = (1, 1, AtATime));

    private static Task<int> Wait(IControlledClient controlled) => controlled.Wait(1, Token).AsTask();

    private static Task<int>[] Hold(IControlledClient controlled, Checkpoint checkpoint, int calls) =>
        [.. Enumerable.Range(0, calls).Select(_ => controlled.Hold(checkpoint.Folder, Token).AsTask())];
}
