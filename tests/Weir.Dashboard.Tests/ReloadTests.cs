using System.Net;
using static Weir.Dashboard.Tests.Observer;

namespace Weir.Dashboard.Tests;

/// <summary>What an operator sees of a pool that reloads.</summary>
public sealed class ReloadTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_pool_that_reloads_is_a_finding_while_a_worker_with_the_old_options_runs_a_call()
    {
        await using var application = await DashboardApplication.StartAsync();
        var call = await HangAsync(application, milliseconds: 5_000);
        var reload = application.Get<WeirRuntime>().GetPool("crashing").ReloadAsync(cancellationToken: Ct);
        var finding = await FindingAsync(application, "state");
        Assert.Equal("crashing reloads: 0 workers serve with the new options, 1 worker with the old ones", finding.GetProperty("sentence").GetString());
        Assert.Equal("notice", finding.GetProperty("severity").GetString());
        using var response = await call;
        Assert.Equal(HttpStatusCode.NoContent, response.StatusCode);
        await reload;
    }
}
