using Microsoft.Extensions.DependencyInjection;
using Weir.Client.Tests.Services;

namespace Weir.Client.Tests;

/// <summary>Jobs of a real server, submitted and read over HTTP.</summary>
public sealed class JobTests(JobHost host) : IClassFixture<JobHost>
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_job_has_the_result_of_the_call()
    {
        var job = await host.Jobs().EnqueueAsync(r => r.Build("acme", 2026), cancellationToken: Cancel);
        Assert.Equal(new Report("acme", 2026), await job.ResultAsync(Cancel));
        var info = await job.GetAsync(Cancel);
        Assert.Equal((job.Id, "Reports/Build", JobState.Succeeded, 1, 5), (info!.Id, info.Kind, info.State, info.Attempt, info.Attempts));
        Assert.NotNull(info.Ended);
        Assert.Equal(info, await job.WaitAsync(Cancel));
    }

    [Fact]
    public async Task Jobs_without_a_value_with_bytes_and_with_null_are_read_as_calls_are()
    {
        var jobs = host.Jobs();
        await (await jobs.EnqueueAsync(r => r.Charge("acme", 9.99m), cancellationToken: Cancel)).ResultAsync(Cancel);
        Assert.Equal(70_000, (await (await jobs.EnqueueAsync(r => r.Render("acme", 70_000), cancellationToken: Cancel)).ResultAsync(Cancel)).Length);
        Assert.Equal([0, 1, 255], (await (await jobs.EnqueueAsync(r => r.Copy(new byte[] { 0, 1, 255 }), cancellationToken: Cancel)).ResultAsync(Cancel)).ToArray());
        Assert.Null(await (await jobs.EnqueueAsync(r => r.Find(""), cancellationToken: Cancel)).ResultAsync(Cancel));
        Assert.Equal(new Report("a", 0), await (await jobs.EnqueueAsync(r => r.Find("a"), cancellationToken: Cancel)).ResultAsync(Cancel));
    }

    [Fact]
    public async Task A_job_has_the_items_of_the_stream_from_any_index()
    {
        var job = await host.Jobs().EnqueueAsync(r => r.Pages(50), cancellationToken: Cancel);
        Assert.Equal(Enumerable.Range(0, 50), await job.ItemsAsync(cancellationToken: Cancel).ToListAsync(Cancel));
        Assert.Equal(Enumerable.Range(17, 33), await job.ItemsAsync(17, Cancel).ToListAsync(Cancel));
        Assert.Empty(await job.ItemsAsync(50, Cancel).ToListAsync(Cancel));
        Assert.Empty(await job.ItemsAsync(99, Cancel).ToListAsync(Cancel));
        await job.ResultAsync(Cancel);
    }

    [Fact]
    public async Task A_reader_may_begin_beyond_the_items_that_there_are()
    {
        var job = await host.Jobs().EnqueueAsync(r => r.Pages(20, 20), cancellationToken: Cancel);
        Assert.Equal([18, 19], await job.ItemsAsync(18, Cancel).ToListAsync(Cancel));
    }

    [Fact]
    public async Task A_stream_of_bytes_keeps_its_blocks()
    {
        var job = await host.Jobs().EnqueueAsync(r => r.Blocks(3), cancellationToken: Cancel);
        Assert.Equal([[0, 255], [1, 255], [2, 255]], (await job.ItemsAsync(cancellationToken: Cancel).ToListAsync(Cancel)).Select(static block => block.ToArray()));
    }

    [Fact]
    public async Task A_failed_job_throws_what_a_caller_of_the_operation_catches()
    {
        var jobs = host.Jobs();
        var gone = await jobs.EnqueueAsync(r => r.Fail("gone", "no more"), cancellationToken: Cancel);
        Assert.Equal("no more", (await Assert.ThrowsAsync<GoneException>(() => gone.ResultAsync(Cancel))).Message);
        Assert.Equal((JobState.Failed, JobReason.Exception), await StateOf(gone));
        var broken = await jobs.EnqueueAsync(r => r.Fail("other", "secret"), cancellationToken: Cancel);
        var direct = await Assert.ThrowsAsync<ProblemException>(async () => await WeirClient.Create<IReports>(host.Http).Fail("other", "secret"));
        var error = await Assert.ThrowsAsync<ProblemException>(() => broken.ResultAsync(Cancel));
        Assert.Equal((direct.Code, direct.Message.Replace("under this traceId", $"with the id of job {broken.Id}", StringComparison.Ordinal), direct.Status), (error.Code, error.Message, error.Status));
    }

    [Fact]
    public async Task A_failed_stream_throws_after_its_items()
    {
        var job = await host.Jobs().EnqueueAsync(r => r.Broken(3, "no more"), cancellationToken: Cancel);
        var read = new List<int>();
        var error = await Assert.ThrowsAsync<GoneException>(async () =>
        {
            await foreach (var item in job.ItemsAsync(cancellationToken: Cancel))
            {
                read.Add(item);
            }
        });
        Assert.Equal([0, 1, 2], read);
        Assert.Equal("no more", error.Message);
    }

    [Fact]
    public async Task Arguments_that_do_not_bind_are_refused_and_nothing_is_stored()
    {
        // A contract of the client that allows what the server does not.
        var error = await Assert.ThrowsAsync<BindingException>(async () => await host.Jobs().EnqueueAsync(r => r.Build(null!, 2026), cancellationToken: Cancel));
        Assert.Equal("tenant", Assert.Single(error.Errors).Name);
    }

    [Fact]
    public async Task A_cancelled_job_ends_and_says_so()
    {
        var job = await host.Jobs().EnqueueAsync(r => r.Wait(CancellationToken.None), cancellationToken: Cancel);
        var waiting = job.ResultAsync(Cancel);
        Assert.NotNull(await job.CancelAsync(Cancel));
        var error = await Assert.ThrowsAsync<JobException>(() => waiting);
        Assert.Equal((job.Id, JobState.Cancelled, JobReason.None), (error.Id, error.State, error.Reason));
        Assert.Equal(JobState.Cancelled, (await job.CancelAsync(Cancel))!.State);
    }

    [Fact]
    public async Task The_items_of_a_cancelled_job_end_with_its_exception()
    {
        var job = await host.Jobs().EnqueueAsync(r => r.Pages(1_000_000, 5), cancellationToken: Cancel);
        var read = 0;
        var error = await Assert.ThrowsAsync<JobException>(async () =>
        {
            await foreach (var item in job.ItemsAsync(cancellationToken: Cancel))
            {
                Assert.Equal(read++, item);
                if (read == 3)
                {
                    await job.CancelAsync(Cancel);
                }
            }
        });
        Assert.Equal(JobState.Cancelled, error.State);
        Assert.InRange(read, 3, 1_000_000);
    }

    [Fact]
    public async Task One_key_is_one_job()
    {
        // The problem names the job to a caller that has a name.
        using var http = host.HttpOf("acme");
        var jobs = host.Jobs(http);
        var options = new JobOptions { IdempotencyKey = "close-" + Guid.NewGuid() };
        var first = await jobs.EnqueueAsync(r => r.Build("acme", 2026), options, Cancel);
        var second = await jobs.EnqueueAsync(r => r.Build("acme", 2026), options, Cancel);
        Assert.Equal((first.Id, false, true), (second.Id, first.IsExisting, second.IsExisting));
        var error = await Assert.ThrowsAsync<JobKeyReusedException>(async () => await jobs.EnqueueAsync(r => r.Build("acme", 2027), options, Cancel));
        Assert.Equal(first.Id, error.Id);
        Assert.NotEqual(first.Id, (await jobs.EnqueueAsync(r => r.Build("acme", 2026), cancellationToken: Cancel)).Id);
    }

    [Fact]
    public async Task A_job_is_there_for_its_submitter_only()
    {
        using var ann = host.HttpOf("ann");
        using var bob = host.HttpOf("bob");
        var job = await host.Jobs(ann).EnqueueAsync(r => r.Build("acme", 2026), cancellationToken: Cancel);
        await job.ResultAsync(Cancel);
        foreach (var foreign in new[] { host.Jobs(bob).Get(job.Id, r => r.Build("", 0)), host.Jobs().Get(job.Id, r => r.Build("", 0)), host.Jobs(ann).Get(Guid.CreateVersion7(), r => r.Build("", 0)) })
        {
            Assert.Null(await foreign.GetAsync(Cancel));
            Assert.Null(await foreign.CancelAsync(Cancel));
            Assert.Null((await Assert.ThrowsAsync<JobException>(() => foreign.ResultAsync(Cancel))).State);
        }

        Assert.Equal(new Report("acme", 2026), await host.Jobs(ann).Get(job.Id, r => r.Build("", 0)).ResultAsync(Cancel));
    }

    [Fact]
    public async Task A_client_through_cuts_misses_no_item_and_submits_each_job_once()
    {
        var random = new Random(40);
        await using var proxy = new CuttingProxy(host.Address, () => (random.Next(300, 3_000), random.Next(2) == 0));
        using var http = new HttpClient { BaseAddress = proxy.Address };
        var jobs = host.Jobs(http);
        var job = await jobs.EnqueueAsync(r => r.Pages(500, 1), cancellationToken: Cancel);
        var read = new List<int>();
        await foreach (var page in job.ItemsAsync(cancellationToken: Cancel))
        {
            read.Add(page);
        }

        Assert.Equal(Enumerable.Range(0, 500), read);
        var ids = new HashSet<Guid>();
        for (var year = 0; year < 20; year++)
        {
            var report = await jobs.EnqueueAsync(r => r.Build("acme", year), cancellationToken: Cancel);
            Assert.Equal(new Report("acme", year), await report.ResultAsync(Cancel));
            Assert.True(ids.Add(report.Id));
        }
    }

    [Fact, Trait("Kind", "Long")]
    public async Task A_million_items_arrive_once_each_through_a_thousand_cuts()
    {
        var random = new Random(41);
        var connections = 0;
        await using var proxy = new CuttingProxy(host.Address, () => (Interlocked.Increment(ref connections) <= 1_000 ? random.Next(2_000, 12_000) : long.MaxValue, random.Next(2) == 0));
        using var http = new HttpClient { BaseAddress = proxy.Address };
        var job = await host.Jobs(http).EnqueueAsync(r => r.Numbers(1_000_000), cancellationToken: Cancel);
        var next = 0;
        await foreach (var number in job.ItemsAsync(cancellationToken: Cancel))
        {
            if (number != next)
            {
                Assert.Fail($"Item {number} came where {next} was expected.");
            }

            next++;
        }

        Assert.Equal(1_000_000, next);
        Assert.InRange(connections, 1_000, int.MaxValue);
    }

    [Fact]
    public async Task A_container_has_jobs_of_the_client()
    {
        var services = new ServiceCollection();
        services.AddWeirClient<IReports>(client => client.BaseAddress = host.Address, static options => options.JobsPath = "/$jobs").AddJobs().AddStandardResilienceHandler();
        await using var provider = services.BuildServiceProvider();
        var job = await provider.GetRequiredService<IJobs<IReports>>().EnqueueAsync(r => r.Build("acme", 2026), cancellationToken: Cancel);
        Assert.Equal(new Report("acme", 2026), await provider.GetRequiredService<IRemoteJobs<IReports>>().Get(job.Id, r => r.Build("", 0)).ResultAsync(Cancel));
        Assert.Equal(7, await provider.GetRequiredService<IReports>().Direct(7));
    }

    private static async Task<(JobState State, JobReason Reason)> StateOf(Job job)
    {
        var info = await job.GetAsync(Cancel);
        return (info!.State, info.Reason);
    }
}
