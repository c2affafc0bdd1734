using Weir.Client.Tests.Services;

namespace Weir.Client.Tests;

/// <summary>The server is replaced while a client waits for its jobs.</summary>
public sealed class JobRestartTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Waits_and_readers_continue_with_the_next_host()
    {
        var host = new JobHost();
        await host.InitializeAsync();
        try
        {
            var jobs = host.Jobs();
            var pages = await jobs.EnqueueAsync(r => r.Pages(60, 20), cancellationToken: Cancel);
            var waiting = pages.WaitAsync(Cancel);
            var read = new List<int>();
            await foreach (var page in pages.ItemsAsync(cancellationToken: Cancel))
            {
                read.Add(page);
                if (read.Count == 10)
                {
                    await host.StopAsync();
                    await host.StartAsync();
                }
            }

            Assert.Equal(Enumerable.Range(0, 60), read);
            Assert.Equal(JobState.Succeeded, (await waiting).State);
        }
        finally
        {
            await host.DisposeAsync();
        }
    }

    [Fact]
    public async Task A_result_is_there_for_a_later_client_of_a_later_host()
    {
        var host = new JobHost();
        await host.InitializeAsync();
        try
        {
            var job = await host.Jobs().EnqueueAsync(r => r.Build("acme", 2026), cancellationToken: Cancel);
            await job.WaitAsync(Cancel);
            await host.StopAsync();
            var result = job.ResultAsync(Cancel);
            await host.StartAsync();
            Assert.Equal(new Report("acme", 2026), await result);
            using var later = new HttpClient { BaseAddress = host.Address };
            Assert.Equal(new Report("acme", 2026), await host.Jobs(later).Get(job.Id, r => r.Build("", 0)).ResultAsync(Cancel));
        }
        finally
        {
            await host.DisposeAsync();
        }
    }
}
