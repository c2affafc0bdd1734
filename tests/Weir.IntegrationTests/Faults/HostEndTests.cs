using System.Net;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Showcase;
using Xunit;

namespace Weir.IntegrationTests.Faults;

/// <summary>The host's own end: asked, it drains and exits 0; killed, it leaves nothing.</summary>
public sealed class HostEndTests
{
    private static readonly TimeSpan OneSecond = TimeSpan.FromSeconds(1);

    [Fact]
    public async Task Sigterm_lets_running_calls_end_and_exits_with_zero()
    {
        await using var showcase = await ShowcaseProcess.StartAsync();
        var cancellationToken = TestContext.Current.CancellationToken;
        var slow = showcase.Client.PostAsync("/Neighbour/EatCpu?seconds=2", null, cancellationToken);
        Assert.True(await ProcFiles.EventuallyAsync(() => showcase.Workers().Count > 0, TimeSpan.FromSeconds(20)));
        var stream = showcase.Client.GetStringAsync("/Weather/NextIsolated.ndjson?days=10&delay=100", cancellationToken);
        await Task.Delay(300, cancellationToken);
        var workers = showcase.Workers();

        var exitCode = await showcase.TerminateAsync();

        Assert.Equal(0, exitCode);
        Assert.Equal(HttpStatusCode.NoContent, (await slow).StatusCode);
        Assert.Equal(10, (await stream).Split('\n', StringSplitOptions.RemoveEmptyEntries).Length);
        Assert.All(workers, static pid => Assert.False(ProcFiles.IsRunning(pid)));
    }

    [Fact]
    public async Task A_killed_host_leaves_no_worker_even_in_an_endless_loop()
    {
        for (var round = 0; round < 5; round++)
        {
            await using var showcase = await ShowcaseProcess.StartAsync();
            var cancellationToken = TestContext.Current.CancellationToken;
            Assert.Equal(HttpStatusCode.OK, (await showcase.Client.GetAsync("/Hasher/DoTask?size=1000", cancellationToken)).StatusCode);
            _ = Swallow(showcase.Client.PostAsync("/Neighbour/Loop", null, cancellationToken));
            Assert.True(await ProcFiles.EventuallyAsync(() => showcase.Workers().Any(ProcFiles.IsBurning), TimeSpan.FromSeconds(20)));
            var workers = showcase.Workers();
            Assert.NotEmpty(workers);

            await showcase.KillAsync();

            Assert.True(await ProcFiles.EventuallyAsync(() => !workers.Any(ProcFiles.IsRunning), OneSecond));
        }
    }

    private static async Task Swallow(Task<HttpResponseMessage> request)
    {
        try
        {
            (await request).Dispose();
        }
        catch (HttpRequestException)
        {
            // The host is gone; that is the test.
        }
    }
}
