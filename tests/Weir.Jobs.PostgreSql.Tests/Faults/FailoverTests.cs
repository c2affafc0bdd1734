using System.Globalization;
using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Rules;

namespace Weir.Jobs.PostgreSql.Tests.Faults;

/// <summary>The server is killed under load, and its standby takes its place.</summary>
[Trait("Kind", "Long")]
public sealed class FailoverTests
{
    private const string Mix = "Once*20,Repeatable*10,Pages*4,Flaky*8,Again*4,Alone*6";
    private const string Schema = "weir_jobs";

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_synchronous_standby_has_every_job_that_was_acknowledged_and_one_outcome_of_each(bool namesBoth)
    {
        await using var primary = new ServerProcess("", []);
        await primary.StartAsync();
        await using var standby = new ServerProcess("", [], primary.Port);
        await standby.StartAsync();
        await primary.ExecuteAsync("ALTER SYSTEM SET synchronous_standby_names = '*'");
        await primary.ExecuteAsync("SELECT pg_reload_conf()");
        await primary.UntilAsync("SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'");
        await using var proxy = new TcpProxy(primary.Port);
        using var rig = new ReplicaRig(namesBoth ? Both(primary, standby) : Through(proxy), Schema);
        using var runner = await rig.RunnerAsync();
        using var other = await rig.RunnerAsync();
        using var submitter = await rig.SubmitterAsync(Mix);
        await rig.AnswersAsync(300);
        await FailOverAsync(primary, standby, proxy);
        await rig.AnswersAsync(300);
        await ReplicaRig.StopAsync(submitter);
        var jobs = await rig.FinishAsync();
        Assert.DoesNotContain(JobReason.Lost, ReplicaRig.Failed(jobs).Keys);
        await ReplicaRig.StopAsync(runner);
        await ReplicaRig.StopAsync(other);
    }

    [Fact]
    public async Task An_asynchronous_standby_may_lack_jobs_that_were_acknowledged_and_none_has_two_outcomes()
    {
        await using var primary = new ServerProcess("", []);
        await primary.StartAsync();
        await using var replication = new TcpProxy(primary.Port);
        await using var standby = new ServerProcess("", [], replication.Port);
        await standby.StartAsync();
        await primary.UntilAsync("SELECT count(*) = 1 FROM pg_stat_replication WHERE state = 'streaming'");
        await using var proxy = new TcpProxy(primary.Port);
        using var rig = new ReplicaRig(Through(proxy), Schema);
        using var runner = await rig.RunnerAsync();
        using var other = await rig.RunnerAsync();
        using var submitter = await rig.SubmitterAsync(Mix);
        await rig.AnswersAsync(300);

        // What is acknowledged from now on does not reach the standby.
        replication.Cut();
        await rig.AnswersAsync(50);
        await FailOverAsync(primary, standby, proxy);
        await rig.AnswersAsync(300);
        await ReplicaRig.StopAsync(submitter);

        // For the standby, attempts whose end it lacks still run, in processes that know better: these find them after a lease.
        using (var finish = rig.Start("finish"))
        {
            Assert.True(await finish.ExitAsync(120) == 0, finish.Said);
        }

        await ReplicaRig.StopAsync(runner);
        await ReplicaRig.StopAsync(other);
        var jobs = await rig.JobsAsync();
        var acknowledged = rig.Files.Acknowledged();
        var lost = acknowledged.Count(id => !jobs.ContainsKey(id));
        TestContext.Current.TestOutputHelper!.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{lost} of {acknowledged.Count} acknowledged jobs were lost, {jobs.Count} are stored."));

        // At least a part of what was acknowledged during the cut: the test would show nothing otherwise.
        Assert.InRange(lost, 1, acknowledged.Count - 300);
        foreach (var (id, (job, attempts)) in jobs)
        {
            var what = $"Job {id} of {job.Kind} is {job.Status.State} {job.Status.Reason}; attempts: {string.Join(", ", attempts.Select(static one => $"{one.Fence} {one.Happened}"))}.";
            Assert.True(job.Status.HasEnded, what);
            Assert.True(attempts.Count(static one => one.Happened == JobEvent.Succeeded) <= (job.Status.State == JobState.Succeeded ? 1 : 0), what);
            var outcomes = attempts.Where(static one => one.Happened != JobEvent.OwnerLost).Select(static one => one.Fence).ToList();
            Assert.True(outcomes.SequenceEqual(outcomes.Distinct().Order()), what);
        }
    }

    // The first one is gone before the other one takes its place, as each failover has to make sure.
    private static async Task FailOverAsync(ServerProcess primary, ServerProcess standby, TcpProxy proxy)
    {
        proxy.Cut();
        await primary.KillAsync();
        await standby.ExecuteAsync("SELECT pg_promote()");
        await standby.UntilAsync("SELECT NOT pg_is_in_recovery()");
        proxy.SwitchTo(standby.Port);
        proxy.Restore();
    }

    private static string Both(ServerProcess primary, ServerProcess standby) => string.Create(
        CultureInfo.InvariantCulture, $"Host=127.0.0.1:{primary.Port},127.0.0.1:{standby.Port};Username=postgres;Database=postgres;Target Session Attributes=primary");

    private static string Through(TcpProxy proxy) => string.Create(CultureInfo.InvariantCulture, $"Host=127.0.0.1;Port={proxy.Port};Username=postgres;Database=postgres");
}
