using System.Diagnostics;
using System.Net;
using System.Reflection;
using Weir.IntegrationTests.Processes;
using Weir.IntegrationTests.Showcase;
using Xunit;

namespace Weir.IntegrationTests.Faults;

/// <summary>A host that shares little memory with its workers, as in a small container. The application is the sample of isolated work, without its settings.</summary>
[Collection(nameof(Alone))]
public sealed class SmallContainerTests
{
    private static readonly Uri Leaking = new("/Renderer/Leaking", UriKind.Relative);

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    private static string Application { get; } =
        typeof(SmallContainerTests).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().Single(static attribute => attribute.Key == "IsolatedWork").Value!;

    [Fact]
    public async Task A_worker_that_leaks_is_lost_alone_although_its_pool_sets_no_limit()
    {
        await using var group = new MemoryGroup(300);
        await using var host = await StartAsync(group);
        using var done = new CancellationTokenSource();
        var watching = WatchAsync(host.Client, done.Token);

        // Two at a time: both of its workers leak.
        for (var round = 0; round < 3; round++)
        {
            foreach (var problem in await Task.WhenAll(LeakAsync(host.Client), LeakAsync(host.Client)))
            {
                Assert.Contains("out of memory, MemoryLimitBytes is 174063616, derived from the memory limit of the host", problem, StringComparison.Ordinal);
            }
        }

        Assert.Equal("page 1", await host.Client.GetStringAsync("/Renderer/Render?pages=1", Cancel));
        await done.CancelAsync();
        Assert.InRange(await watching, TimeSpan.Zero, TimeSpan.FromSeconds(2));
        Assert.Equal(0, group.Kills);
        Assert.Contains("share 300 MB of memory", host.Output, StringComparison.Ordinal);
        Assert.Contains("gets a limit of 166 MB: 96 MB are kept for the host, the rest is divided among the 2 workers", host.Output, StringComparison.Ordinal);
        Assert.Equal(0, await host.TerminateAsync());
    }

    [Fact]
    public async Task An_application_that_wants_no_limit_has_none_and_the_kernels_kill_is_named()
    {
        // The heap of a worker may have 1 GB: what ends it is the kernel.
        await using var group = new MemoryGroup(170);
        await using var host = await StartAsync(group, "--Weir:Pools:render:MemoryLimitBytes=", "--Weir:Pools:render:EnvironmentVariables:DOTNET_GCHeapHardLimit=40000000");
        var problem = await LeakAsync(host.Client);
        Assert.Contains("out of memory (signal 9 (SIGKILL) of the kernel's out-of-memory killer)", problem, StringComparison.Ordinal);
        Assert.InRange(group.Kills, 1, 2);
        Assert.Equal("page 1", await host.Client.GetStringAsync("/Renderer/Render?pages=1", Cancel));
        Assert.DoesNotContain("share 170 MB", host.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_limit_that_leaves_nothing_for_the_host_and_workers_that_do_not_fit_are_named_at_the_start()
    {
        await using var group = new MemoryGroup(300);
        await using (var host = await StartAsync(group, $"--Weir:Pools:render:MemoryLimitBytes={300 << 20}"))
        {
            Assert.True(await ProcFiles.EventuallyAsync(() => host.Output.Contains("MemoryLimitBytes of pool render is 300 MB, and its workers share 300 MB with the host", StringComparison.Ordinal), TimeSpan.FromSeconds(10)), host.Output);
            Assert.Contains("Set it to 268 MB or less.", host.Output, StringComparison.Ordinal);
        }

        await using (var host = await StartAsync(group, "--Weir:Pools:render:MaxWorkers=8"))
        {
            Assert.True(await ProcFiles.EventuallyAsync(() => host.Output.Contains("it has space for 3.", StringComparison.Ordinal), TimeSpan.FromSeconds(10)), host.Output);
            Assert.Contains("gets a limit of 128 MB", host.Output, StringComparison.Ordinal);
        }
    }

    private static Task<ShowcaseProcess> StartAsync(MemoryGroup group, params string[] arguments) => ShowcaseProcess.StartAsync(
        ["--contentRoot", Path.GetTempPath(), "--Render:Footer=page", "--Weir:Pools:render:QuarantineKills=0", "--Weir:PoolDefaults:MaxWorkers=2", .. arguments], assembly: Application, before: group.Enter);

    private static async Task<string> LeakAsync(HttpClient client)
    {
        using var response = await client.PostAsync(Leaking, null, Cancel);
        Assert.Equal(HttpStatusCode.BadGateway, response.StatusCode);
        return await response.Content.ReadAsStringAsync(Cancel);
    }

    // The longest of the host's own calls beside the leak.
    private static async Task<TimeSpan> WatchAsync(HttpClient client, CancellationToken done)
    {
        var longest = TimeSpan.Zero;
        while (!done.IsCancellationRequested)
        {
            var started = Stopwatch.GetTimestamp();
            await client.GetStringAsync("/pools", Cancel);
            var took = Stopwatch.GetElapsedTime(started);
            longest = took > longest ? took : longest;
            await Task.Delay(20, Cancel);
        }

        return longest;
    }
}
