using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Weir.IntegrationTests.Pools;
using Weir.IntegrationTests.Processes;
using Xunit;

namespace Weir.IntegrationTests.Controls;

/// <summary>The size of a pool changes while it runs: by code, and by its configuration.</summary>
public class ResizeTests
{
    [Fact]
    public async Task Code_makes_a_pool_larger_and_smaller_without_a_new_worker()
    {
        await using var pool = new ControlledPool(static options => options.MinWorkers = 1);
        var controlled = pool.Runtime.GetPool("controlled");
        var first = await pool.AskAsync<int>("ProcessId");
        await controlled.ResizeAsync(static options => (options.MinWorkers, options.MaxWorkers, options.QueueLimit) = (3, 3, 7), TestContext.Current.CancellationToken);
        await controlled.WaitUntilReadyAsync(TestContext.Current.CancellationToken).WithinAsync(60);
        Assert.Equal((3, 3, 7), (pool.Pool.MinWorkers, pool.Pool.MaxWorkers, pool.Pool.QueueLimit));
        Assert.Equal(3, pool.Pool.Workers.Count);
        Assert.Contains(first, pool.Pool.Workers.Select(static worker => worker.ProcessId));
        await controlled.ResizeAsync(static options => (options.MinWorkers, options.MaxWorkers) = (1, 1), TestContext.Current.CancellationToken);
        Assert.True(await ProcFiles.EventuallyAsync(() => pool.Pool.Workers.Count == 1, TimeSpan.FromSeconds(60)));

        // A reload keeps the size.
        await controlled.ReloadAsync(cancellationToken: TestContext.Current.CancellationToken).WithinAsync(60);
        Assert.Equal((1, 1, 7), (pool.Pool.MinWorkers, pool.Pool.MaxWorkers, pool.Pool.QueueLimit));
    }

    [Fact]
    public async Task A_size_that_is_none_and_other_options_are_refused()
    {
        await using var pool = new ControlledPool(static _ => { });
        var controlled = pool.Runtime.GetPool("controlled");
        var failure = await Assert.ThrowsAsync<InvalidOperationException>(() => controlled.ResizeAsync(static options => options.MaxWorkers = 0));
        Assert.StartsWith("MaxWorkers of pool 'controlled' is 0", failure.Message, StringComparison.Ordinal);
        failure = await Assert.ThrowsAsync<InvalidOperationException>(() => controlled.ResizeAsync(static options => options.EnvironmentVariables["A"] = "b"));
        Assert.StartsWith("EnvironmentVariables of pool 'controlled' cannot be changed by ResizeAsync", failure.Message, StringComparison.Ordinal);
        Assert.Equal(1, pool.Pool.MaxWorkers);
    }

    [Fact]
    public async Task The_configuration_changes_the_size_and_the_log_names_what_needs_a_restart()
    {
        using var log = new RecordedLog();
        var configuration = new ConfigurationBuilder().AddInMemoryCollection([new("Weir:Pools:sizes:QueueLimit", "5")]).Build();
        await using var pool = new ControlledPool(
            static _ => { }, services => services.AddSingleton<ILoggerFactory>(log).AddSingleton<IConfiguration>(configuration));
        Assert.Equal(5, Sizes(pool).QueueLimit);

        configuration["Weir:Pools:sizes:MaxWorkers"] = "7";
        configuration["Weir:Pools:sizes:QueueLimit"] = "9";
        configuration["Weir:Pools:sizes:Configuration:Key"] = "secret";
        configuration["Weir:DrainTimeout"] = "00:00:10";
        configuration["Other"] = "is not Weir's";
        configuration.Reload();
        Assert.True(await ProcFiles.EventuallyAsync(() => log.Records.Any(static record => record.Id.Id == 4320), TimeSpan.FromSeconds(60)));
        Assert.Equal((7, 9), (Sizes(pool).MaxWorkers, Sizes(pool).QueueLimit));
        var restart = Assert.Single(log.Records, static record => record.Id.Id == 4320).Text;
        Assert.Contains("other values of Weir:DrainTimeout, Weir:Pools:sizes:Configuration:Key, which", restart, StringComparison.Ordinal);

        // Nothing changes by what is not valid, and code that set an option wins.
        configuration["Weir:Pools:sizes:MaxWorkers"] = "many";
        configuration["Weir:Pools:controlled:MaxWorkers"] = "4";
        configuration.Reload();
        Assert.True(await ProcFiles.EventuallyAsync(() => log.Records.Any(static record => record.Id.Id == 4321), TimeSpan.FromSeconds(60)));
        Assert.Contains("Weir:Pools:sizes:MaxWorkers is 'many'", log.Records.Single(static record => record.Id.Id == 4321).Text, StringComparison.Ordinal);
        Assert.Equal((7, 1), (Sizes(pool).MaxWorkers, pool.Pool.MaxWorkers));
        Assert.DoesNotContain(log.Records, static record => record.Text.Contains("secret", StringComparison.Ordinal));
    }

    private static PoolSnapshot Sizes(ControlledPool pool) => pool.Runtime.Pools.Single(static one => one.Name == "sizes");
}
