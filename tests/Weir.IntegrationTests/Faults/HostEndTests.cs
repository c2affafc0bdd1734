using System.Net;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Showcase;
using Xunit;

namespace Weir.IntegrationTests.Faults;

/// <summary>The end of the host: after SIGTERM it drains and exits with 0; if it is killed, no worker remains.</summary>
public sealed class HostEndTests
{
    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task Sigterm_lets_running_calls_end_and_exits_with_zero()
    {
        await using var showcase = await ShowcaseProcess.StartAsync();
        var cancellationToken = TestContext.Current.CancellationToken;

        // 1. A call that computes, in any worker and for longer than a worker computes when it starts; and a stream of which one item has come.
        var slow = showcase.Client.PostAsync("/Neighbour/EatCpu?seconds=8", null, cancellationToken);
        Assert.True(await ProcFiles.EventuallyAsync(() => showcase.Workers().Any(ProcFiles.IsBurning), Soon));
        using var stream = await showcase.Client.GetAsync("/Weather/NextIsolated.ndjson?days=10&delay=100", HttpCompletionOption.ResponseHeadersRead, cancellationToken);
        using var lines = new StreamReader(await stream.Content.ReadAsStreamAsync(cancellationToken));
        Assert.NotNull(await lines.ReadLineAsync(cancellationToken));
        var workers = showcase.Workers();

        // 2. The end.
        var ending = showcase.TerminateAsync();
        var rest = await lines.ReadToEndAsync(cancellationToken);
        Assert.Equal(0, await ending);

        // 3. Both were completed, and no worker remains.
        Assert.Equal(HttpStatusCode.NoContent, (await slow).StatusCode);
        Assert.Equal(9, rest.Split('\n', StringSplitOptions.RemoveEmptyEntries).Length);
        Assert.All(workers, static pid => Assert.False(ProcFiles.IsRunning(pid)));
    }

    [Fact]
    public Task A_host_killed_four_times_leaves_no_worker_idle_busy_or_in_an_endless_loop() => KillAsync(4);

    [Fact, Trait("Kind", "Long")]
    public Task A_host_killed_fifty_times_leaves_no_worker_idle_busy_or_in_an_endless_loop() => KillAsync(50);

    private static async Task KillAsync(int rounds)
    {
        var cancellationToken = TestContext.Current.CancellationToken;
        for (var round = 0; round < rounds; round++)
        {
            // 1. Every process that it starts has its mark.
            var mark = $"WEIR_TEST_MARK={Guid.NewGuid():N}";
            await using var showcase = await ShowcaseProcess.StartAsync(environment: new Dictionary<string, string> { ["WEIR_TEST_MARK"] = mark[15..] });
            Assert.Equal(HttpStatusCode.OK, (await showcase.Client.GetAsync("/Hasher/DoTask?size=1000", cancellationToken)).StatusCode);

            // 2. A worker in an endless loop; those of the other pool idle in one round, and are under load in the next.
            _ = Swallow(showcase.Client.PostAsync("/Neighbour/Loop", null, cancellationToken));
            var load = Enumerable.Range(0, round % 2 * 8).Select(_ => HammerAsync(showcase.Client, cancellationToken)).ToArray();
            Assert.True(await ProcFiles.EventuallyAsync(() => showcase.Workers().Any(ProcFiles.IsBurning), Soon));
            Assert.InRange(ProcFiles.WithEnvironment(mark).Count, 3, int.MaxValue);

            // 3. It is not asked to end.
            await showcase.KillAsync();
            Assert.True(await ProcFiles.EventuallyAsync(() => ProcFiles.WithEnvironment(mark).Count == 0, Soon), $"Left: {string.Join(' ', ProcFiles.WithEnvironment(mark))}");
            await Task.WhenAll(load).WaitAsync(TimeSpan.FromSeconds(60), TimeProvider.System, cancellationToken);
        }
    }

    private static async Task HammerAsync(HttpClient client, CancellationToken cancellationToken)
    {
        try
        {
            while (true)
            {
                (await client.GetAsync("/Hasher/DoTask?size=100000", cancellationToken)).Dispose();
            }
        }
        catch (HttpRequestException)
        {
            // The host is gone.
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
