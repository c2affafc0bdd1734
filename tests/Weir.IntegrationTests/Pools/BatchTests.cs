using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Pools;

public sealed class BatchTests : IAsyncDisposable
{
    private readonly Application _application = new(static options => options.Pool("sizes").MaxWorkers = 2);

    public ValueTask DisposeAsync() => _application.DisposeAsync();

    [Fact]
    public async Task Filters_that_wait_run_around_each_call_of_a_batch()
    {
        var blobs = Enumerable.Range(0, 600).Select(static length => (ReadOnlyMemory<byte>)new byte[length]).ToArray();
        var results = await Batch.Of(_application.Get<IHesitantSizesClient>(), blobs, static (client, blob) => client.Length(blob))
            .ToListAsync(TestContext.Current.CancellationToken);

        Assert.Equal(blobs.Length, results.Select(static one => one.Index).Distinct().Count());
        Assert.All(results, static one => Assert.Equal(one.Index, one.Result));
    }

    [Fact]
    public async Task A_call_that_is_too_large_fails_alone()
    {
        await using var application = new Application(static options => options.Pool("sizes").PayloadLimitBytes = 100_000);
        ReadOnlyMemory<byte>[] blobs = [new byte[10], new byte[200_000], new byte[20]];
        var results = await Batch.Of(application.Get<ISizes>(), blobs, static (client, blob) => client.Length(blob))
            .ToDictionaryAsync(static one => one.Index, cancellationToken: TestContext.Current.CancellationToken);

        Assert.Equal(10, results[0].Result);
        Assert.IsType<PayloadTooLargeException>(results[1].Failure);
        Assert.Equal(20, results[2].Result);
    }

    [Fact]
    public async Task A_call_that_a_batch_holds_no_more_is_sent_at_once()
    {
        // What a lambda calls after its first await comes when the batch has let go of what it held.
        var client = _application.Get<ISizes>();
        var results = await Batch.Of(client, [1, 2, 3], static async (client, length) => await client.Length(new byte[await client.Length(new byte[length])]) * 10)
            .ToListAsync(TestContext.Current.CancellationToken);

        Assert.Equal([10, 20, 30], results.OrderBy(static one => one.Index).Select(static one => one.Result));
    }
}
