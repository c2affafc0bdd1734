using Weir.Jobs.PostgreSql.Tests.Servers;

namespace Weir.Jobs.PostgreSql.Tests.Faults;

/// <summary>Processes that share a store end, or stand still, under load.</summary>
public sealed class LostReplicaTests(PostgreSqlServer server)
{
    private const string Mix = "Once*20,Repeatable*10,Pages*4,Flaky*8,Again*4,Alone*6,Slow*2,SlowRepeatable*2";

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public Task Killed_processes_lose_no_job_that_was_acknowledged() => KillAsync(2);

    [Fact, Trait("Kind", "Long")]
    public Task Thirty_killed_processes_lose_no_job_that_was_acknowledged() => KillAsync(30);

    [Fact]
    public Task A_process_that_stands_still_for_longer_than_its_lease_starts_no_job_twice() => FreezeAsync(2);

    [Fact, Trait("Kind", "Long")]
    public Task A_process_that_stands_still_twenty_times_starts_no_job_twice() => FreezeAsync(20);

    [Fact]
    public Task A_process_that_is_stopped_under_load_hands_its_jobs_over() => TerminateAsync(3);

    [Fact, Trait("Kind", "Long")]
    public Task Fifty_processes_that_are_stopped_under_load_hand_their_jobs_over() => TerminateAsync(50);

    private async Task KillAsync(int times)
    {
        using var rig = new ReplicaRig(server.ConnectionString, server.NewSchema());
        using var other = await rig.RunnerAsync();
        using var submitter = await rig.SubmitterAsync(Mix);
        for (var time = 0; time < times; time++)
        {
            using var victim = await rig.RunnerAsync();
            await rig.AnswersAsync(60);
            await victim.KillAsync();
        }

        await ReplicaRig.StopAsync(submitter);
        var jobs = await rig.FinishAsync();
        Assert.All(ReplicaRig.Failed(jobs).Keys, static reason => Assert.True(reason is JobReason.Lost or JobReason.Exception or JobReason.Interrupted, $"{reason}"));
        await ReplicaRig.StopAsync(other);
    }

    private async Task FreezeAsync(int times)
    {
        using var rig = new ReplicaRig(server.ConnectionString, server.NewSchema());
        using var one = await rig.RunnerAsync();
        using var two = await rig.RunnerAsync();
        using var submitter = await rig.SubmitterAsync(Mix);
        for (var time = 0; time < times; time++)
        {
            await rig.AnswersAsync(40);
            var victim = time % 2 == 0 ? one : two;
            ReplicaRig.Signal(victim, "STOP");
            await Task.Delay(ReplicaRig.Lease + TimeSpan.FromSeconds(2), Stop);
            ReplicaRig.Signal(victim, "CONT");
        }

        await rig.AnswersAsync(40);
        await ReplicaRig.StopAsync(submitter);
        await rig.FinishAsync();
        await ReplicaRig.StopAsync(one);
        await ReplicaRig.StopAsync(two);
    }

    private async Task TerminateAsync(int times)
    {
        using var rig = new ReplicaRig(server.ConnectionString, server.NewSchema());
        using var other = await rig.RunnerAsync();
        using var submitter = await rig.SubmitterAsync(Mix + ",Slow*4,SlowRepeatable*4");
        for (var time = 0; time < times; time++)
        {
            using var victim = await rig.RunnerAsync();
            await rig.AnswersAsync(30);
            await ReplicaRig.StopAsync(victim);
        }

        await ReplicaRig.StopAsync(submitter);
        await ReplicaRig.StopAsync(other);
        var jobs = await rig.FinishAsync();

        // Those that were stopped say so; none of them is presumed lost.
        Assert.All(ReplicaRig.Failed(jobs).Keys, static reason => Assert.True(reason is JobReason.Interrupted or JobReason.Exception, $"{reason}"));
        Assert.All(jobs.Values.Where(static one => one.Job.Status.Reason == JobReason.Interrupted), static one => Assert.False(Jobs.Tests.Faults.FaultFiles.IsIdempotent(one.Job.Kind)));
    }
}
