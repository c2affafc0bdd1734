using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Weir.Runtime;
using Xunit;

namespace Weir.IntegrationTests.Faults;

/// <summary>What a pool never does: more workers than its limit, a drain that ends early, a caller who waits at a full queue over HTTP.</summary>
[Collection(nameof(Alone))]
public sealed class BoundTests
{
    [Fact]
    public Task Forty_fresh_pools_under_burst_never_exceed_their_limit_and_never_drain_early() => BurstAsync(40);

    [Fact, Trait("Kind", "Long")]
    public Task Three_thousand_fresh_pools_under_burst_never_exceed_their_limit_and_never_drain_early() => BurstAsync(3_000);

    private static async Task BurstAsync(int pools)
    {
        var cancellationToken = TestContext.Current.CancellationToken;
        for (var round = 0; round < pools; round++)
        {
            var pool = FreshPool.Start("misbehaviour", static options =>
            {
                options.MinWorkers = 0;
                options.MaxWorkers = 2;
            });
            var misbehaviour = pool.GetProxy<IMisbehaviourClient>();
            var calls = Enumerable.Range(0, 12).Select(_ => misbehaviour.Sleep(1, cancellationToken).AsTask()).ToArray();

            // Seen from outside: the kernel's list of this process's children.
            var most = 0;
            var draining = Task.CompletedTask;
            while (!draining.IsCompleted || most == 0)
            {
                most = Math.Max(most, Children());
                if (most > 0 && draining == Task.CompletedTask)
                {
                    draining = pool.DrainAsync(cancellationToken);
                }

                // Between two looks the pool has the processors to itself.
                await Task.Delay(1, cancellationToken);
            }

            await draining;
            Assert.InRange(most, 1, 2);
            Assert.All(calls, static call => Assert.True(call.IsCompletedSuccessfully));
            Assert.Equal(0, Children());
        }
    }

    [Fact]
    public async Task A_full_queue_rejects_at_once_and_says_when_to_come_again()
    {
        await using var pool = FreshPool.Start("misbehaviour", static options =>
        {
            options.MaxWorkers = 1;
            options.QueueLimit = 2;
        });
        var operation = FreshPool.Catalogs.Services.Single(static service => service.Name == "Misbehaviour").Operations.Single(static operation => operation.Name == "IgnoreCancellation");
        using var leaving = new CancellationTokenSource();
        var running = Enumerable.Range(0, 3).Select(_ => RunAsync(leaving.Token)).ToArray();
        Assert.True(await ProcFiles.EventuallyAsync(() => pool.Snapshot() is { Queued: 2 }, TimeSpan.FromSeconds(30)));

        // None of those before it can end: had it waited for one, it would still wait.
        var error = await Assert.ThrowsAsync<CallRejectedException>(() => RunAsync(TestContext.Current.CancellationToken).WithinAsync(30));

        Assert.All(running, static call => Assert.False(call.IsCompleted));
        Assert.Equal(WeirCodes.QueueFull, error.Code);
        Assert.NotNull(error.RetryAfter);
        Assert.Contains("QueueLimit", error.Message, StringComparison.Ordinal);
        await leaving.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Task.WhenAll(running));

        Task RunAsync(CancellationToken cancellationToken) =>
            pool.Pipeline.RunAsync(operation.CreateCall(operation), new CallRequest { CancellationToken = cancellationToken }).AsTask();
    }

    private static int Children()
    {
        var self = Environment.ProcessId;
        return ProcFiles.AllPids().Count(pid => ProcFiles.Stat(pid) is { } stat && stat.Parent == self);
    }
}
