using Microsoft.Extensions.DependencyInjection;

namespace Weir.Jobs.Tests.Http;

/// <summary>Jobs over HTTP in the tests of an application.</summary>
public sealed class TestedJobsTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_job_runs_when_the_test_says_so_and_is_read_as_ever()
    {
        await using var host = await HttpHost.StartAsync(new() { Services = static services => services.AddWeirJobsTesting() });
        var address = await host.SubmitAsync("Answers/Text", """{"text":"tested"}""", "ann");
        using var early = await host.GetAsync($"{address}/result", "ann");
        Assert.Equal(202, (int)early.StatusCode);
        await host.Get<JobsTesting>().DrainAsync();
        using var result = await host.GetAsync($"{address}/result", "ann");
        Assert.Equal((200, "tested"), ((int)result.StatusCode, await result.Content.ReadAsStringAsync(Ct)));
    }
}
