using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Weir.IntegrationTests.Processes;
using Xunit;

namespace Weir.IntegrationTests.Controls;

/// <summary>What <c>AddHealthChecks().AddWeir()</c> reports of real pools.</summary>
public class HealthTests
{
    [Fact]
    public async Task A_pool_that_serves_is_healthy_and_its_figures_are_data()
    {
        await using var pool = Start(static _ => { });
        await pool.AskAsync<int>("ProcessId");
        var entry = await CheckAsync(pool);
        Assert.Equal(HealthStatus.Healthy, entry.Status);
        var figures = Assert.IsType<Dictionary<string, object>>(Pools(entry)["controlled"]);
        Assert.Equal((1, 1), (figures["workers"], figures["maxWorkers"]));
        Assert.Equal(["lane", "pools"], entry.Data.Keys.Order());
    }

    [Fact]
    public async Task A_pool_whose_restart_budget_is_spent_is_unhealthy_with_the_reason()
    {
        await using var pool = Start(static options =>
        {
            (options.MinWorkers, options.RestartBudget) = (1, 1);
            options.EnvironmentVariables["WEIR_TEST_COLD"] = "no model here";
        });
        HealthReportEntry entry = default;
        Assert.True(await ProcFiles.EventuallyAsync(() => (entry = CheckAsync(pool).Result).Status == HealthStatus.Unhealthy, TimeSpan.FromSeconds(60)));
        Assert.StartsWith("pool 'controlled' cannot start workers: ", entry.Description, StringComparison.Ordinal);
        Assert.Contains("no model here", entry.Description, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_full_queue_is_degraded_until_there_is_a_place()
    {
        await using var pool = Start(static options => options.QueueLimit = 1);
        await pool.AskAsync<int>("ProcessId");
        var calls = new[] { pool.AskAsync<int>("Wait", """{"milliseconds":1500}"""), pool.AskAsync<int>("Wait", """{"milliseconds":1}""") };
        HealthReportEntry entry = default;
        Assert.True(await ProcFiles.EventuallyAsync(() => (entry = CheckAsync(pool).Result).Status == HealthStatus.Degraded, TimeSpan.FromSeconds(60)));
        Assert.Equal("the queue of pool 'controlled' has 1 of 1 calls", entry.Description);
        await Task.WhenAll(calls);
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(pool)).Status);
    }

    [Theory]
    [InlineData(null, 2, HealthStatus.Healthy)]
    [InlineData(3, 3, HealthStatus.Healthy)]
    [InlineData(3, 4, HealthStatus.Degraded)]
    [InlineData(0, 1, HealthStatus.Degraded)]
    public async Task A_pool_that_loses_worker_after_worker_in_calls_is_degraded_whatever_the_calls_are(int? mostLost, int losses, HealthStatus status)
    {
        // Calls with the same arguments would be in quarantine.
        await using var pool = Start(static options => options.QuarantineKills = 100, options => options.MaxLostWorkers = mostLost);
        for (var i = 0; i < losses; i++)
        {
            await Assert.ThrowsAsync<WorkerLostException>(() => pool.AskAsync<object>("Crash"));
        }

        var entry = await CheckAsync(pool);
        Assert.Equal(status, entry.Status);
        Assert.Equal(losses, Assert.IsType<Dictionary<string, object>>(Pools(entry)["controlled"])["workersLostInCalls"]);
        if (status == HealthStatus.Degraded)
        {
            Assert.Matches($@"^pool 'controlled' lost {losses} workers in calls within a minute, the last one by: .*FailFast.* \(crash report controlled-\d+-\d+\)$", entry.Description);
        }
    }

    [Fact]
    public async Task A_pool_whose_last_start_failed_is_degraded_until_one_succeeds()
    {
        await using var pool = Start(static options => options.EnvironmentVariables["WEIR_TEST_COLD"] = "no model here");
        await Assert.ThrowsAsync<WorkerLostException>(() => pool.AskAsync<int>("ProcessId"));
        HealthReportEntry entry = default;
        Assert.True(await ProcFiles.EventuallyAsync(() => (entry = CheckAsync(pool).Result).Status == HealthStatus.Degraded, TimeSpan.FromSeconds(60)));
        Assert.StartsWith("pool 'controlled' could not start its last worker: ", entry.Description, StringComparison.Ordinal);
        Assert.Contains("no model here", entry.Description, StringComparison.Ordinal);

        await pool.Runtime.GetPool("controlled").ReloadAsync(static options => options.EnvironmentVariables.Remove("WEIR_TEST_COLD"), TestContext.Current.CancellationToken);
        await pool.AskAsync<int>("ProcessId");

        // The worker may answer its first call before its own flow reports that it has started.
        Assert.True(await ProcFiles.EventuallyAsync(() => CheckAsync(pool).Result.Status == HealthStatus.Healthy, TimeSpan.FromSeconds(60)));
    }

    [Fact]
    public async Task Only_the_named_pools_count_and_a_name_that_no_pool_has_is_reported()
    {
        await using var pool = Start(static _ => { }, static options => options.Pools.Add("CONTROLLED"));
        var entry = await CheckAsync(pool);
        Assert.Equal(["controlled"], Pools(entry).Keys);
        await using var wrong = Start(static _ => { }, static options => options.Pools.Add("nowhere"));
        entry = await CheckAsync(wrong);
        Assert.Equal((HealthStatus.Unhealthy, "there is no pool 'nowhere'"), (entry.Status, entry.Description));
        Assert.Throws<ArgumentOutOfRangeException>(() => new ServiceCollection().AddHealthChecks().AddWeir(static options => options.DegradedQueueShare = 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => new ServiceCollection().AddHealthChecks().AddWeir(static options => options.MaxLostWorkers = -1));
    }

    private static Dictionary<string, object> Pools(HealthReportEntry entry) => Assert.IsType<Dictionary<string, object>>(entry.Data["pools"]);

    private static ControlledPool Start(Action<PoolOptions> configure, Action<WeirHealthOptions>? health = null) =>
        new(configure, services => services.AddLogging().AddHealthChecks().AddWeir(health));

    private static async Task<HealthReportEntry> CheckAsync(ControlledPool pool) =>
        Assert.Single((await pool.Get<HealthCheckService>().CheckHealthAsync(TestContext.Current.CancellationToken)).Entries).Value;
}
