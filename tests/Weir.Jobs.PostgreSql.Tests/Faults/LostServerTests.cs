using System.Diagnostics;
using Weir.Jobs.PostgreSql.Tests.Servers;

namespace Weir.Jobs.PostgreSql.Tests.Faults;

/// <summary>The server ends, or does not answer, under load.</summary>
public sealed class LostServerTests(PostgreSqlServer server)
{
    private const string Mix = "Once*20,Repeatable*10,Pages*4,Flaky*8,Again*4,Alone*6";

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_server_that_is_started_again_has_every_job_that_was_acknowledged(bool kill)
    {
        await using var own = new ServerProcess("", []);
        await own.StartAsync();
        using var rig = new ReplicaRig(own.ConnectionString, "weir_jobs");
        using var runner = await rig.RunnerAsync();
        using var other = await rig.RunnerAsync();
        using var submitter = await rig.SubmitterAsync(Mix);
        for (var time = 0; time < 2; time++)
        {
            await rig.AnswersAsync(100);
            await own.StopAsync(kill);
            await own.StartAsync();
        }

        await rig.AnswersAsync(100);
        await ReplicaRig.StopAsync(submitter);
        var jobs = await rig.FinishAsync();
        Assert.DoesNotContain(JobReason.Lost, ReplicaRig.Failed(jobs).Keys);
        await ReplicaRig.StopAsync(runner);
        await ReplicaRig.StopAsync(other);
    }

    [Fact]
    public async Task Sessions_that_are_ended_five_times_a_second_lose_no_job()
    {
        using var rig = new ReplicaRig(server.ConnectionString, server.NewSchema());
        using var runner = await rig.RunnerAsync();
        using var submitter = await rig.SubmitterAsync(Mix);
        for (var time = 0; time < 20; time++)
        {
            await Task.Delay(200, Stop);
            await server.TerminateAsync($"application_name = '{rig.Schema}'");
        }

        await rig.AnswersAsync(50);
        await ReplicaRig.StopAsync(submitter);
        await ReplicaRig.StopAsync(runner);
        var jobs = await rig.FinishAsync();
        Assert.DoesNotContain(JobReason.Lost, ReplicaRig.Failed(jobs).Keys);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(5)]
    public Task A_connection_that_is_cut_loses_no_job(int seconds) => CutAsync(seconds);

    [Theory, Trait("Kind", "Long")]
    [InlineData(20)]
    [InlineData(60)]
    [InlineData(120)]
    public Task A_connection_that_is_cut_for_long_loses_no_job(int seconds) => CutAsync(seconds);

    [Fact]
    public async Task A_process_ends_in_time_while_the_server_does_not_answer()
    {
        await using var proxy = new TcpProxy(server.Port);
        using var rig = new ReplicaRig(server.ConnectionString, server.NewSchema());
        using var runner = await rig.RunnerAsync(proxy.Port);
        using var submitter = await rig.SubmitterAsync(Mix + ",Slow*10,SlowRepeatable*10", proxy.Port);
        await rig.AnswersAsync(50);
        proxy.Cut();
        var began = Stopwatch.GetTimestamp();
        runner.Terminate();
        submitter.Terminate();
        await runner.ExitAsync(30);
        await submitter.ExitAsync(30);

        // The shutdown timeout of its host (15 s), and the last waits for the store.
        Assert.True(Stopwatch.GetElapsedTime(began) < TimeSpan.FromSeconds(30), runner.Said + submitter.Said);
        proxy.Restore();
        await rig.FinishAsync();
    }

    // The one that runs jobs is cut off from the server; the one that submits is not.
    private async Task CutAsync(int seconds)
    {
        await using var proxy = new TcpProxy(server.Port);
        using var rig = new ReplicaRig(server.ConnectionString, server.NewSchema());
        using var runner = await rig.RunnerAsync(proxy.Port);
        using var both = await rig.RunnerAsync(proxy.Port);
        using var submitter = await rig.SubmitterAsync(Mix, proxy.Port);
        await rig.AnswersAsync(50);
        proxy.Cut();
        await Task.Delay(TimeSpan.FromSeconds(seconds), Stop);
        proxy.Restore();
        await rig.AnswersAsync(50);
        await ReplicaRig.StopAsync(submitter);
        var jobs = await rig.FinishAsync();

        // As none had an answer, none may presume that another one is gone.
        Assert.DoesNotContain(JobReason.Lost, ReplicaRig.Failed(jobs).Keys);
        await ReplicaRig.StopAsync(runner);
        await ReplicaRig.StopAsync(both);
    }
}
