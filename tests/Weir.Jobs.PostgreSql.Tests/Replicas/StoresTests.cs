using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Retention;
using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Tests.Replicas;

/// <summary>Two stores over the same schema, directly and behind PgBouncer in transaction mode.</summary>
public sealed class StoresTests(PostgreSqlServer server)
{
    private const string Kind = "Reports/\0Create";

    private static readonly DateTimeOffset Now = new(2026, 11, 1, 0, 0, 0, TimeSpan.Zero);
    private static readonly JobTraits Traits = new();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_job_is_accepted_in_one_process_and_runs_in_another(bool pooled)
    {
        await using var pooler = pooled ? await Pooler.StartAsync(server.Port) : null;
        var connectionString = pooler?.ConnectionString ?? server.ConnectionString;
        var schema = server.NewSchema();
        await using var accepting = New(connectionString, schema);
        await using var running = New(connectionString, schema);
        var (accepts, runs) = (new Recorder(), new Recorder());
        await accepting.OpenAsync(new JobReplica(Guid.NewGuid(), []), TestContext.Current.CancellationToken);
        await running.OpenAsync(new JobReplica(Guid.NewGuid(), [new ReplicaKind(Kind, 1)]), TestContext.Current.CancellationToken);
        accepting.Listen(accepts);
        running.Listen(runs);
        await Recorder.UntilAsync(() => accepts.Pauses.Count > 0 && runs.Pauses.Count > 0, "the first looks");

        var job = new NewJob { Id = Guid.NewGuid(), Kind = Kind, Signature = 1, Arguments = new byte[] { 1 }, Submitted = Now, Due = Now };
        await accepting.CommitAsync(new JobBatch(Now) { Jobs = { job } });
        await Recorder.UntilAsync(() => runs.ReadyKinds.Count > 0, "the job");
        Assert.Equal(Kind, runs.ReadyKinds.First());
        await accepting.WatchAsync(job.Id, TestContext.Current.CancellationToken);

        var claim = new JobClaim { Slots = 1, Kinds = [new KindClaim { Kind = Kind, Slots = 1 }] };
        await running.CommitAsync(new JobBatch(Now) { Claims = { claim } });
        var fence = Assert.Single(claim.Jobs).Record.Status.Fence;
        Assert.Equal(job.Id, claim.Jobs[0].Record.Id);

        await accepting.CommitAsync(new JobBatch(Now) { Actions = { Action(job.Id, JobEvent.CancelAsked, 0) } });
        await Recorder.UntilAsync(() => runs.Stops.Count > 0, "the cancellation");
        Assert.Equal(new AttemptId(job.Id, fence), runs.Stops.First());
        await running.CommitAsync(new JobBatch(Now) { Actions = { Action(job.Id, JobEvent.Succeeded, fence) } });
        await Recorder.UntilAsync(() => accepts.Changes.Contains((job.Id, true)), "the end");
        Assert.True((await accepting.FindAsync(job.Id, TestContext.Current.CancellationToken))!.Status.HasEnded);
        Assert.Empty(runs.LostAttempts);
    }

    private static JobAction Action(Guid id, JobEvent happened, long fence) => new() { Id = id, Happened = happened, Kind = Traits, Moment = new JobMoment(Now, 0) { Fence = fence } };

    private static PostgreSqlJobStore New(string connectionString, string schema) =>
        new(new Database(connectionString, schema), new PostgreSqlJobsOptions { Schema = schema, Lease = TimeSpan.FromMinutes(10) }, new RetentionTimes(null, null), TimeProvider.System);
}
