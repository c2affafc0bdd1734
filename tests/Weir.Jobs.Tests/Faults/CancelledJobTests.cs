namespace Weir.Jobs.Tests.Faults;

/// <summary>Jobs are cancelled before, while and after they run.</summary>
public sealed class CancelledJobTests
{
    [Fact]
    public Task Two_hundred_jobs_cancelled_at_random_times_end_and_do_nothing_afterwards() => CancelAsync("Once*40,Repeatable*40,Pages*20,Flaky*20,Again*20,Slow*20,SlowRepeatable*20,BriefDeaf*20");

    [Fact, Trait("Kind", "Long")]
    public Task Ten_thousand_jobs_cancelled_at_random_times_end_and_do_nothing_afterwards() =>
        CancelAsync("Once*2000,Repeatable*2000,Pages*1000,Flaky*1000,Again*1000,Slow*1000,SlowRepeatable*1000,BriefDeaf*1000");

    [Fact]
    public async Task A_job_whose_cancellation_was_acknowledged_is_not_started_after_its_host_was_killed()
    {
        using var rig = new FaultRig();
        for (var round = 0; round < 2; round++)
        {
            var before = Cancelled(rig).Count;
            using var host = rig.Start("cancel", "SlowRepeatable*300,Repeatable*100,Pages*100,Flaky*100", "--Submitters", "48", "--Seed", $"{round + 1}");
            while (Cancelled(rig).Count < before + 60 && !host.HasExited)
            {
                await Task.Delay(5, TestContext.Current.CancellationToken);
            }

            await host.KillAsync();
            var (cancelled, starts) = (Cancelled(rig), rig.Starts());
            await rig.FinishAsync();
            Assert.All(cancelled, id => Assert.Equal(starts.GetValueOrDefault(id), rig.Starts().GetValueOrDefault(id)));
        }

        await rig.CheckAsync();
    }

    private static HashSet<Guid> Cancelled(FaultRig rig) => [.. rig.Answers().Where(static answer => answer[0] == "cancelled").Select(static answer => Guid.Parse(answer[1]))];

    private static async Task CancelAsync(string calls)
    {
        using var rig = new FaultRig();
        using (await rig.RunAsync("cancel", calls, "--Submitters", "32"))
        {
        }

        var jobs = await rig.CheckAsync();
        Assert.Equal(rig.Acknowledged().Count, jobs.Count);
        Assert.Contains(jobs.Values, static one => one.Job.Status.State == JobState.Cancelled);
        Assert.Contains(jobs.Values, static one => one.Job.Status.State == JobState.Succeeded);

        var ended = new HashSet<string>();
        foreach (var line in rig.Oracle())
        {
            if (line[0] == "ended")
            {
                ended.Add(line[1]);
            }
            else
            {
                Assert.False(ended.Contains(line[1]), $"'{string.Join(' ', line)}' after its end was reported: {jobs[Guid.Parse(line[1])].Job}");
            }
        }

        Assert.Equal(jobs.Count, ended.Count);
    }
}
