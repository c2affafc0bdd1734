using System.Net.Http.Json;
using static Weir.Dashboard.Tests.Observer;

namespace Weir.Dashboard.Tests;

/// <summary>What an operator sees of workers that hold much memory.</summary>
public sealed class MemoryTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_worker_near_its_limit_is_a_finding_with_its_process_and_its_limit()
    {
        await using var application = await DashboardApplication.StartAsync();

        // A worker that does nothing has some 50 MB of private mappings, of which it uses 3.
        using var response = await application.Client.PostAsync(new Uri("/Hoarder/Keep?megabytes=190", UriKind.Relative), null, Ct);
        var worker = await response.Content.ReadFromJsonAsync<int>(Ct);
        var finding = await FindingAsync(application, "memory");
        Assert.Equal(("waiting", "hoarding"), (finding.GetProperty("severity").GetString(), finding.GetProperty("pool").GetString()));
        Assert.Matches($"^hoarding: worker {worker} holds 2[34][0-9] MB of the 256 MB that it may have$", finding.GetProperty("sentence").GetString());
    }
}
