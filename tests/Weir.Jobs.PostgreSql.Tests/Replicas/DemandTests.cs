using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Retention;
using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Tests.Replicas;

/// <summary>The function that autoscalers ask.</summary>
public sealed class DemandTests(PostgreSqlServer server)
{
    private static readonly DateTimeOffset Now = DateTimeOffset.UtcNow;

    [Fact]
    public async Task Demand_counts_what_runs_could_run_or_will_soon()
    {
        var schema = server.NewSchema();
        await using var store = new PostgreSqlJobStore(
            new Database(server.ConnectionString, schema), new PostgreSqlJobsOptions { Schema = schema, Lease = TimeSpan.FromMinutes(10) }, new RetentionTimes(null, null), TimeProvider.System);
        await store.OpenAsync(
            new JobReplica(Guid.NewGuid(), [new ReplicaKind("Reports/Limited", 1, MaxTotal: 2), new ReplicaKind("Reports/Free", 1), new ReplicaKind("Images_/Paused", 1)]), TestContext.Current.CancellationToken);

        var claim = new JobClaim { Slots = 1, Kinds = [new KindClaim { Kind = "Images_/Paused", Slots = 1 }] };
        await store.CommitAsync(new JobBatch(Now) { Jobs = { Job("Images_/Paused"), Job("Images_/Paused") }, Claims = { claim } });
        Assert.Single(claim.Jobs);
        var batch = new JobBatch(Now) { Pauses = { new KindPause("Images_/Paused", true) } };
        batch.Jobs.AddRange(Enumerable.Range(0, 5).Select(static _ => Job("Reports/Limited")));
        batch.Jobs.AddRange([Job("Reports/Free"), Job("Reports/Free", TimeSpan.FromSeconds(15)), Job("Reports/Free", TimeSpan.FromHours(1))]);
        await store.CommitAsync(batch);

        // One that runs of the paused kind, two of those with the limit, one that is ready, and one that is due soon.
        Assert.Equal(5L, await DemandAsync("*"));
        Assert.Equal(4L, await DemandAsync("Reports/*"));
        Assert.Equal(2L, await DemandAsync("Reports/Limited"));
        Assert.Equal(1L, await DemandAsync("Images_/*"));
        Assert.Equal(0L, await DemandAsync("Imagess/*"));

        // The limit is known as long as a process publishes it.
        await store.LeaveAsync();
        Assert.Equal(5L, await DemandAsync("Reports/Limited"));

        Task<object?> DemandAsync(string pattern) => server.QueryAsync($"SELECT \"{schema}\".demand('{pattern}')");
    }

    private static NewJob Job(string kind, TimeSpan later = default) =>
        new() { Id = Guid.NewGuid(), Kind = kind, Signature = 1, Arguments = new byte[] { 1 }, Submitted = Now, Due = Now + later };
}
