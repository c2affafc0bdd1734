using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Execution;

/// <summary>
/// Callers that cancel at any moment while others call: the objects of calls are reused, and no caller ever gets
/// another call's result.
/// </summary>
public sealed class ReuseTests : IAsyncDisposable
{
    private const int Flows = 16;
    private const int Calls = 1500;

    private readonly Application _application = new(static options => options.Pool("probe").MaxWorkers = 2);

    public ValueTask DisposeAsync() => _application.DisposeAsync();

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public Task In_workers(int seed)
    {
        var client = _application.Get<IIsolatedSyncClient>();
        return RunAsync(seed, (a, b, token) => client.Add(a, b, token));
    }

    [Theory]
    [InlineData(4)]
    [InlineData(5)]
    public Task On_the_lane(int seed)
    {
        var client = _application.Get<ILaneSyncClient>();
        return RunAsync(seed, (a, b, token) => client.Add(a, b, token));
    }

    private static async Task RunAsync(int seed, Func<int, int, CancellationToken, ValueTask<int>> add)
    {
        var ended = await Task.WhenAll(Enumerable.Range(0, Flows).Select(flow => Task.Run(() => RunFlowAsync(new Random((seed * 1000) + flow), flow, add))));
        Assert.All(ended, static one => Assert.Equal(Calls, one.Results + one.Cancelled));

        // Both must have happened, or nothing raced.
        Assert.NotEqual(0, ended.Sum(static one => one.Results));
        Assert.NotEqual(0, ended.Sum(static one => one.Cancelled));
    }

    private static async Task<(int Results, int Cancelled)> RunFlowAsync(Random random, int flow, Func<int, int, CancellationToken, ValueTask<int>> add)
    {
        var (results, cancelled) = (0, 0);
        for (var i = 0; i < Calls; i++)
        {
            using var leaving = new CancellationTokenSource();
            var running = add(flow * Calls, i, leaving.Token);
            var leaves = random.Next(3) == 0;
            if (leaves)
            {
                Thread.SpinWait(random.Next(3000));
                ThreadPool.UnsafeQueueUserWorkItem(static leaving => leaving.Cancel(), leaving, preferLocal: false);
            }

            try
            {
                Assert.Equal((flow * Calls) + i, await running);
                results++;
            }
            catch (OperationCanceledException)
            {
                Assert.True(leaves);
                cancelled++;
            }

            // The one who cancels may still be at it.
            while (leaves && !leaving.IsCancellationRequested)
            {
                await Task.Yield();
            }
        }

        return (results, cancelled);
    }
}
