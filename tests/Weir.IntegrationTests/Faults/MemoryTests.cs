using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Faults;

/// <summary>What a worker does if its code uses all memory.</summary>
public sealed class MemoryTests
{
    private const double Soon = 30;

    /// <summary>Its own way out must need no memory: it once waited there for a host that waited for it.</summary>
    [Fact]
    public async Task A_worker_without_any_memory_ends_its_call_and_itself()
    {
        for (var round = 0; round < 4; round++)
        {
            var pool = FreshPool.Start("misbehaviour", static options => (options.MinWorkers, options.MaxWorkers, options.MemoryLimitBytes) = (1, 1, 256L << 20));
            var ended = await Record.ExceptionAsync(() => pool.GetProxy<IMisbehaviourClient>().EatEverything(TestContext.Current.CancellationToken).AsTask().WithinAsync(Soon));
            Assert.True(ended is null or WeirException, $"{ended}");
            await pool.DisposeAsync().AsTask().WithinAsync(Soon);
        }
    }
}
