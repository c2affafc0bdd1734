using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Pools;

/// <summary>The workers of a minimum start some time after the application.</summary>
public sealed class DelayedStartTests
{
    [Fact]
    public async Task Before_the_delay_has_passed_a_call_starts_the_worker_that_it_needs()
    {
        await using var application = Delayed(TimeSpan.FromDays(1));
        Assert.All(application.Runtime.Pools, static pool => Assert.Empty(pool.Workers));
        await application.CallAsync("IsolatedSurface/Around");
        Assert.NotEmpty(application.Runtime.Pools.Single(static pool => pool.Name == "probe").Workers);
    }

    [Fact]
    public async Task After_the_delay_the_minimum_starts_without_a_call()
    {
        await using var application = Delayed(TimeSpan.FromMilliseconds(1));
        await application.Runtime.GetPool("probe").WaitUntilReadyAsync(TestContext.Current.CancellationToken).WithinAsync(60);
        Assert.Equal(1, application.Runtime.Pools.Sum(static pool => pool.Workers.Count));
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(50)]
    public void A_delay_that_no_timer_can_count_is_refused(int days) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => Delayed(TimeSpan.FromDays(days)));

    private static Application Delayed(TimeSpan delay) => new(static options => options.Pool("probe").MinWorkers = 1, workerDelay: delay);
}
