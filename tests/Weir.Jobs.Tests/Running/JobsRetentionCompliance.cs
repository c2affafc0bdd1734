using Microsoft.Extensions.Diagnostics.HealthChecks;
using Weir.Jobs.Running;

namespace Weir.Jobs.Tests.Running;

/// <summary>What every store does alike of which the engine deletes jobs that have ended.</summary>
public abstract class JobsRetentionCompliance : JobsControlCompliance
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_job_that_has_ended_is_deleted_when_its_time_is_over()
    {
        await using var host = await StartAsync(static jobs => (jobs.Retention, jobs.FailedRetention) = (TimeSpan.FromHours(2), TimeSpan.FromHours(5)));
        var jobs = host.Get<IJobs<IControlledClient>>();
        var succeeded = await jobs.EnqueueAsync(one => one.Checked(1), cancellationToken: Ct);
        var failed = await jobs.EnqueueAsync(one => one.FailsUnless("wrong"), cancellationToken: Ct);
        var waiting = await jobs.EnqueueAsync(one => one.Checked(1), new JobOptions { After = TimeSpan.FromDays(100) }, Ct);
        await succeeded.WaitAsync(Ct);
        await failed.WaitAsync(Ct);
        await LookAfterAsync(host, TimeSpan.FromHours(1.9));
        Assert.NotNull(await succeeded.GetAsync(Ct));
        await LookAfterAsync(host, TimeSpan.FromHours(0.2));
        Assert.Null(await succeeded.GetAsync(Ct));
        await LookAfterAsync(host, TimeSpan.FromHours(2.8));
        Assert.NotNull(await failed.GetAsync(Ct));
        await LookAfterAsync(host, TimeSpan.FromHours(0.2));
        Assert.Null(await failed.GetAsync(Ct));
        Assert.NotNull(await waiting.GetAsync(Ct));
    }

    [Fact]
    public async Task After_the_clock_was_set_forward_no_job_is_deleted_by_its_age_for_an_hour()
    {
        await using var host = await StartAsync();
        var job = await host.Get<IJobs<IControlledClient>>().EnqueueAsync(one => one.Checked(1), cancellationToken: Ct);
        await job.WaitAsync(Ct);
        Time.Origin += TimeSpan.FromDays(2);
        await LookAfterAsync(host, TimeSpan.Zero);
        await LookAfterAsync(host, TimeSpan.FromMinutes(59));
        Assert.NotNull(await job.GetAsync(Ct));
        await LookAfterAsync(host, TimeSpan.FromMinutes(2));
        Assert.Null(await job.GetAsync(Ct));
    }

    [Fact]
    public async Task An_idempotency_key_stays_an_hour_however_short_the_retention_is()
    {
        await using var host = await StartAsync(static jobs => jobs.Retention = TimeSpan.Zero);
        var jobs = host.Get<IJobs<IControlledClient>>();
        var kept = await jobs.EnqueueAsync(one => one.Checked(1), new JobOptions { IdempotencyKey = "k" }, Ct);
        var freed = await jobs.EnqueueAsync(one => one.Checked(1), new JobOptions { IdempotencyKey = "f", UniqueUntil = JobUniqueness.Ended }, Ct);
        await kept.WaitAsync(Ct);
        await freed.WaitAsync(Ct);
        await LookAfterAsync(host, TimeSpan.FromMinutes(59));
        Assert.Equal((true, false), (await kept.GetAsync(Ct) is not null, await freed.GetAsync(Ct) is not null));
        await LookAfterAsync(host, TimeSpan.FromMinutes(2));
        Assert.Null(await kept.GetAsync(Ct));
    }

    [Fact]
    public async Task Of_too_many_jobs_those_that_were_submitted_first_are_deleted_and_health_says_so()
    {
        await using var host = await StartAsync(static jobs => jobs.MaxKept = 10);
        var jobs = await host.Get<IJobs<IControlledClient>>().EnqueueManyAsync(Enumerable.Range(0, 30), (one, number) => one.Checked((number % 10) + 1), cancellationToken: Ct);
        foreach (var job in jobs)
        {
            await job.WaitAsync(Ct);
        }

        await LookAfterAsync(host, TimeSpan.Zero);
        Assert.Equal(jobs.Skip(20).Select(static job => job.Id).Reverse(), (await host.Jobs.ListAsync(null, Ct)).Select(static job => job.Id));
        var report = await host.Get<HealthCheckService>().CheckHealthAsync(Ct);
        Assert.Contains("20 jobs were deleted before their retention was over", report.Entries["weir-jobs"].Description, StringComparison.Ordinal);
        Time.Advance(TimeSpan.FromHours(2));
        Assert.Equal(HealthStatus.Healthy, (await host.Get<HealthCheckService>().CheckHealthAsync(Ct)).Status);
    }

    private async Task LookAfterAsync(JobsHost host, TimeSpan time)
    {
        Time.Advance(time);
        await host.Get<JobEngine>().Purger.Look();
        await host.Get<JobEngine>().Purger.Look();
    }
}
