using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Services;
using Xunit;

namespace Weir.IntegrationTests.Faults;

/// <summary>Workers that do not start: the error names phase and type and comes soon, and no caller waits without a limit.</summary>
public sealed class StartTests
{
    private const double Soon = 30;

    [Fact]
    public async Task Services_of_the_worker_reach_the_isolated_class()
    {
        await using var pool = FreshPool.Start("needy", static options => options.Configuration["word"] = "Bonjour");
        Assert.Equal("Bonjour, Weir", await pool.GetProxy<INeedyClient>().Greet("Weir", TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task Services_that_fail_to_build_are_named_by_phase_type_and_message()
    {
        var error = await GreetAsync("throw");
        Assert.Equal(WeirCodes.WorkerStartFailed, error.Code);
        Assert.Contains("build services", error.Message, StringComparison.Ordinal);
        Assert.Contains("InvalidOperationException", error.Message, StringComparison.Ordinal);
        Assert.Contains("no database", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_service_that_is_not_registered_names_the_class_that_needs_it()
    {
        var error = await GreetAsync("nothing");
        Assert.Contains("create ", error.Message, StringComparison.Ordinal);
        Assert.Contains("Needy", error.Message, StringComparison.Ordinal);
        Assert.Contains(nameof(IGreeting), error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_worker_that_exits_while_it_builds_its_services_is_named_with_its_exit_code()
    {
        var error = await GreetAsync("exit");
        Assert.Equal(WeirCodes.WorkerStartFailed, error.Code);
        Assert.Contains("exit code 7", error.Message + error.Cause, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_worker_that_hangs_while_it_builds_its_services_is_killed_after_the_start_timeout()
    {
        var error = await GreetAsync("hang");
        Assert.Equal(WeirCodes.WorkerStartFailed, error.Code);
        Assert.Contains("StartTimeout", error.Message, StringComparison.Ordinal);
    }

    private static async Task<WorkerLostException> GreetAsync(string start)
    {
        await using var pool = FreshPool.Start("needy", options =>
        {
            options.MaxWorkers = 1;
            options.StartTimeout = TimeSpan.FromSeconds(start == "hang" ? 1 : 60);
            options.RestartBudget = 1;
            options.Configuration["start"] = start;
        });
        return await Assert.ThrowsAsync<WorkerLostException>(
            () => pool.GetProxy<INeedyClient>().Greet("Weir", TestContext.Current.CancellationToken).AsTask().WithinAsync(Soon));
    }
}
