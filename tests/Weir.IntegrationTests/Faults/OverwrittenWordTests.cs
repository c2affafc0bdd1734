using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Weir.Protocol.SharedMemory;
using Xunit;

namespace Weir.IntegrationTests.Faults;

/// <summary>Words of the shared memory by which host and worker wake each other, overwritten by one call: the others of the worker do not hang.</summary>
[Collection(nameof(Alone))]
public sealed class OverwrittenWordTests
{
    private const int Small = 10;

    // More than a ring: both sides wait for space.
    private const int Large = 3 << 20;

    [Theory]
    [InlineData(SharedMemoryLayout.HostSleeps, Small)]
    [InlineData(SharedMemoryLayout.HostSleeps, Large)]
    [InlineData(SharedMemoryLayout.HostWantsSpace, Large)]
    [InlineData(SharedMemoryLayout.WorkerSleeps, Small)]
    [InlineData(SharedMemoryLayout.WorkerSleeps, Large)]
    [InlineData(SharedMemoryLayout.Claim, Small)]
    [InlineData(SharedMemoryLayout.WorkerWantsSpace, Large)]
    public async Task Calls_beside_one_that_overwrites_a_word_are_answered(int offset, int bytes)
    {
        await using var pool = FreshPool.Start("scribbling", static options =>
        {
            (options.MinWorkers, options.MaxWorkers, options.Concurrency) = (1, 1, 16);
            options.StartTimeout = TimeSpan.FromSeconds(60);
        });
        var client = pool.GetProxy<IScribblingClient>();
        var worker = await client.Identify(TestContext.Current.CancellationToken);

        var overwriting = client.Overwrite(offset, 400, TestContext.Current.CancellationToken).AsTask();
        var innocent = Enumerable.Range(1, 6).Select(value => EchoAsync(client, (byte)value, bytes, () => overwriting.IsCompleted));
        await Task.WhenAll([overwriting, .. innocent]).WithinAsync(60);

        Assert.Equal(worker, await client.Identify(TestContext.Current.CancellationToken));
    }

    // Until the word is let alone, and once more.
    private static async Task EchoAsync(IScribblingClient client, byte value, int bytes, Func<bool> isOver)
    {
        var data = new byte[bytes];
        data.AsSpan().Fill(value);
        bool isLast;
        do
        {
            isLast = isOver();
            Assert.Equal(data, await client.Echo(data, TestContext.Current.CancellationToken));
        }
        while (!isLast);
    }
}
