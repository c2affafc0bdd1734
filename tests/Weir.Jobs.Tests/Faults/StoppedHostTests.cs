using System.Diagnostics;
using Weir.Jobs.Rules;
using Weir.Jobs.Tests.Running;

namespace Weir.Jobs.Tests.Faults;

/// <summary>The host is stopped while jobs run and come.</summary>
public sealed class StoppedHostTests
{
    private const string Mix = "Once*20,Repeatable*10,Pages*4,Flaky*8,Again*4,Slow*6,SlowRepeatable*4,Isolated*2,IsolatedRepeatable*2";

    // Until processes have ended on a machine that does other things, too.
    private static readonly TimeSpan Slack = TimeSpan.FromSeconds(4);

    internal static readonly TimeSpan Most = FaultRig.DrainTimeout + FaultRig.CancelGrace + TimeSpan.FromSeconds(3) + Slack;

    [Fact]
    public Task A_host_that_is_stopped_under_load_three_times_loses_nothing() => StopOftenAsync("load", 3);

    [Fact, Trait("Kind", "Long")]
    public Task A_host_that_is_stopped_under_load_fifty_times_loses_nothing() => StopOftenAsync("load", 50);

    [Fact]
    public Task A_host_whose_callers_do_not_stop_stops_in_time() => StopOftenAsync("stubborn", 1);

    [Fact]
    public async Task What_runs_at_the_end_of_the_drain_is_interrupted_or_run_again()
    {
        using var rig = new FaultRig();
        await StopAsync(rig, "leave-and-wait", "Long*3,LongRepeatable*3,Endless,Once*5", static rig => rig.Starts().Count >= 12);
        Assert.Equal(12, rig.Acknowledged().Count);
        await rig.FinishAsync();
        var jobs = await rig.CheckAsync();
        foreach (var (id, (job, attempts)) in jobs)
        {
            var expected = job.Kind switch
            {
                "Work/Long" or "IsolatedWork/Endless" => (JobState.Failed, JobReason.Interrupted, 1),
                "Work/LongRepeatable" => (JobState.Succeeded, JobReason.None, 2),
                _ => (JobState.Succeeded, JobReason.None, 1),
            };
            Assert.Equal((job.Kind, expected), (job.Kind, (job.Status.State, job.Status.Reason, rig.Starts()[id])));
            Assert.All(attempts, static attempt => Assert.Equal(JobEvent.Drained, attempt.Happened));
        }
    }

    [Fact]
    public async Task A_job_that_ignores_its_token_is_left_behind_and_is_lost()
    {
        using var rig = new FaultRig();
        await StopAsync(rig, "leave-and-wait", "Deaf,Once*3", static rig => rig.Starts().Count >= 4);
        await rig.FinishAsync();
        var jobs = await rig.CheckAsync();
        var (job, attempts) = Assert.Single(jobs.Values, static one => one.Job.Kind == "Work/Deaf");
        Assert.Equal((JobState.Failed, JobReason.Lost), (job.Status.State, job.Status.Reason));
        Assert.Equal(JobEvent.OwnerLost, Assert.Single(attempts).Happened);
    }

    [Fact]
    public async Task A_host_that_stops_itself_drains_once_and_no_longer_than_its_jobs_run()
    {
        using var rig = new FaultRig();
        using var host = await rig.RunAsync("leave", "Slow*4,SlowRepeatable*4");
        Assert.True(host.Said.Split("The host stops: it waits").Length <= 2, host.Said);
        await rig.FinishAsync();
        Assert.All((await rig.CheckAsync()).Values, static one => Assert.Equal(JobState.Succeeded, one.Job.Status.State));
    }

    [Fact]
    public async Task A_host_that_is_stopped_while_it_starts_stops_in_time_and_loses_nothing()
    {
        using var rig = new FaultRig();
        for (var milliseconds = 50; milliseconds <= 450; milliseconds += 100)
        {
            using var host = rig.Start("load", Mix, "--Seed", $"{milliseconds}");
            await Task.Delay(milliseconds, TestContext.Current.CancellationToken);
            var began = Stopwatch.GetTimestamp();
            host.Terminate();
            await host.ExitAsync();
            Assert.True(Stopwatch.GetElapsedTime(began) <= Most, $"It took {Stopwatch.GetElapsedTime(began)}: {host.Said}");
        }

        await rig.FinishAsync();
        await rig.CheckAsync();
    }

    [Fact]
    public async Task A_submission_to_a_host_that_has_stopped_is_refused()
    {
        await using var host = await JobsHost.StartAsync(static jobs => jobs.UseMemory());
        var reports = host.Reports;
        await host.StopAsync();
        var refused = await Assert.ThrowsAsync<CallRejectedException>(async () => await reports.EnqueueAsync(static reports => reports.Charge("a", 1)));
        Assert.Equal(WeirCodes.JobStoreUnavailable, refused.Code);
    }

    private static async Task StopOftenAsync(string mode, int times)
    {
        using var rig = new FaultRig();
        for (var time = 0; time < times; time++)
        {
            var answers = rig.Answers().Count;
            await StopAsync(rig, mode, Mix, rig => rig.Answers().Count > answers + 50, $"{time + 1}", mode == "stubborn" ? "128" : "4");
        }

        await rig.FinishAsync();
        var jobs = await rig.CheckAsync();
        Assert.All(jobs.Values, one =>
        {
            var what = $"{one.Job.Id} {one.Job.Kind}: {one.Job.Status.State} {one.Job.Status.Reason}, {string.Join(", ", one.Attempts.Select(static attempt => attempt.Happened))}";
            Assert.True(one.Attempts.All(static attempt => attempt.Happened is not (JobEvent.OwnerLost or JobEvent.Crashed)), what);
            Assert.True(
                one.Job.Status.State == JobState.Succeeded
                || (one.Job.Status.Reason == JobReason.Interrupted && !FaultFiles.IsIdempotent(one.Job.Kind) && rig.Starts().GetValueOrDefault(one.Job.Id) >= 1)
                || (one.Job.Status.Reason == JobReason.Exception && one.Job.Kind == "Work/Flaky"),
                what);
        });
    }

    private static async Task StopAsync(FaultRig rig, string mode, string calls, Func<FaultRig, bool> when, string seed = "1", string submitters = "4")
    {
        using var host = rig.Start(mode, calls, "--Seed", seed, "--Submitters", submitters);
        await host.SaysAsync("started");
        var began = Stopwatch.GetTimestamp();
        while (!when(rig))
        {
            Assert.True(Stopwatch.GetElapsedTime(began) < TimeSpan.FromSeconds(30), host.Said);
            await Task.Delay(20, TestContext.Current.CancellationToken);
        }

        began = Stopwatch.GetTimestamp();
        host.Terminate();
        Assert.True(await host.ExitAsync() == 0, host.Said);
        Assert.True(Stopwatch.GetElapsedTime(began) <= Most, $"It took {Stopwatch.GetElapsedTime(began)}: {host.Said}");
    }
}
