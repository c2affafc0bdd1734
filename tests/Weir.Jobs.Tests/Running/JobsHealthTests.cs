using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Weir.Jobs.Storage;
using Weir.Jobs.Tests.Storage;

namespace Weir.Jobs.Tests.Running;

/// <summary>What the health check of jobs says.</summary>
public sealed class JobsHealthTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Jobs_are_healthy_while_their_store_commits()
    {
        await using var host = await StartAsync(new FailingStore());
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(host)).Status);
    }

    [Fact]
    public async Task A_store_that_does_not_commit_makes_them_unhealthy_and_one_that_does_again_completes_what_ran()
    {
        var store = new FailingStore();
        await using var host = await StartAsync(store);
        var job = await host.Reports.EnqueueAsync(reports => reports.Wait("gate"), cancellationToken: Ct);
        store.Failure = new JobStoreException("disk full");
        host.Board.Open("gate");
        while ((await CheckAsync(host)).Status != HealthStatus.Unhealthy)
        {
            await Task.Delay(5, Ct);
        }

        var refused = await Assert.ThrowsAsync<CallRejectedException>(async () => await host.Reports.EnqueueAsync(reports => reports.Charge("a", 1), cancellationToken: Ct));
        Assert.Contains("disk full", refused.Message, StringComparison.Ordinal);
        store.Failure = null;
        Assert.Equal("gate", await job.ResultAsync(Ct));
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync(host)).Status);
        Assert.Empty(host.Board.Lines);
    }

    [Fact]
    public async Task A_result_for_which_there_is_no_space_keeps_no_other_outcome_from_being_stored()
    {
        var store = new FailingStore { MostPayload = 64 * 1024 };
        await using var host = await StartAsync(store);
        var large = await host.Reports.EnqueueAsync(reports => reports.Reverse(new byte[100_000], null), cancellationToken: Ct);
        while ((await CheckAsync(host)).Status != HealthStatus.Unhealthy)
        {
            await Task.Delay(5, Ct);
        }

        var small = await host.Reports.EnqueueAsync(reports => reports.Build("a", 1), cancellationToken: Ct);
        Assert.Equal(1, (await small.ResultAsync(Ct)).Year);
        Assert.Equal(JobState.Running, (await large.GetAsync(Ct))!.State);
        store.MostPayload = int.MaxValue;
        Assert.Equal(100_000, (await large.ResultAsync(Ct)).Length);
    }

    [Fact]
    public async Task A_store_that_may_have_committed_says_so_and_accepts_nothing_more()
    {
        var store = new FailingStore();
        await using var host = await StartAsync(store);
        store.Failure = new JobStoreException("the disk did not sync") { IsUnknown = true, IsFinal = true };
        store.AppliesBeforeFailing = true;
        var unknown = await Assert.ThrowsAsync<JobOutcomeUnknownException>(async () => await host.Reports.EnqueueAsync(reports => reports.Charge("a", 1), cancellationToken: Ct));
        Assert.NotNull(await host.Jobs.Get(unknown.Id).GetAsync(Ct));
        store.Failure = null;
        await Assert.ThrowsAsync<CallRejectedException>(async () => await host.Reports.EnqueueAsync(reports => reports.Charge("b", 1), cancellationToken: Ct));
        Assert.Equal(HealthStatus.Unhealthy, (await CheckAsync(host)).Status);
    }

    private static Task<JobsHost> StartAsync(FailingStore store) => JobsHost.StartAsync(
        jobs => jobs.Store = _ => store, services: static services => services.AddHealthChecks().AddWeirJobs());

    private static Task<HealthReport> CheckAsync(JobsHost host) => host.Get<HealthCheckService>().CheckHealthAsync(Ct);

    // A store in memory whose commits fail while there is a failure.
    private sealed class FailingStore : StoreOverMemory
    {
        public JobStoreException? Failure { get; set; }

        public bool AppliesBeforeFailing { get; set; }

        public int MostPayload { get; set; } = int.MaxValue;

        public override async ValueTask CommitAsync(JobBatch batch)
        {
            if (batch.Actions.Any(action => action.Payload.Length > MostPayload))
            {
                throw new JobStoreException("disk full");
            }

            if (Failure is not { } failure)
            {
                await Inner.CommitAsync(batch);
                return;
            }

            if (AppliesBeforeFailing)
            {
                await Inner.CommitAsync(batch);
            }

            throw failure;
        }
    }
}
