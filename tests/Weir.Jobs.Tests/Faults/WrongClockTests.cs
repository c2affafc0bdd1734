namespace Weir.Jobs.Tests.Faults;

/// <summary>The clock is set by a day while the host is down.</summary>
public sealed class WrongClockTests
{
    private static readonly string[] Back = ["--ClockOffset", "-1.00:00:00"];
    private static readonly string[] Ahead = ["--ClockOffset", "1.00:00:00"];

    [Fact]
    public async Task A_clock_that_is_a_day_ahead_starts_what_was_due_until_then()
    {
        using var rig = new FaultRig();
        using (await rig.RunAsync("leave", "Once*5,Repeatable*5,Pages*2", "--After", "12:00:00"))
        {
        }

        // One attempt fails, and the next is due in minutes.
        using (var host = rig.Start("leave-and-wait", "FailsOnce*3"))
        {
            await UntilAsync(() => rig.Oracle().Count(static line => line[0] == "left") == 3);
            host.Terminate();
            await host.ExitAsync();
        }

        Assert.Equal(3, rig.Starts().Count);
        await rig.FinishAsync(Ahead);
        var jobs = await rig.CheckAsync();
        Assert.Equal(15, jobs.Count);
        Assert.All(jobs.Values, static one => Assert.Equal(JobState.Succeeded, one.Job.Status.State));
        Assert.All(rig.Starts(), start => Assert.Equal(jobs[start.Key].Job.Kind == "Work/FailsOnce" ? 2 : 1, start.Value));
    }

    [Fact]
    public async Task A_clock_that_is_a_day_back_loses_nothing_and_starts_nothing_twice()
    {
        using var rig = new FaultRig();
        using (var host = rig.Start("load", "Once*10,Repeatable*5,Pages*2,Flaky*3,Again*2,Slow*3,SlowRepeatable*3"))
        {
            await UntilAsync(() => rig.Answers().Count > 40);
            await host.KillAsync();
        }

        using (await rig.RunAsync("leave", "Once*3", "--After", "00:00:05"))
        {
        }

        // What waits for its time waits a day longer; what is ready does not.
        var before = rig.Acknowledged();
        using (var host = rig.Start("leave-and-wait", "Once*3", Back))
        {
            await UntilAsync(() => rig.Acknowledged().Except(before).ToList() is { Count: 3 } added && added.TrueForAll(rig.Starts().ContainsKey));
            host.Terminate();
            await host.ExitAsync();
        }

        var waiting = (await rig.JobsAsync()).Values.Where(static one => !one.Job.Status.HasEnded).ToList();
        Assert.All(waiting, static one => Assert.Equal(JobState.Scheduled, one.Job.Status.State));
        Assert.True(waiting.Count(static one => one.Job.Kind == "Work/Once") == 3, $"{waiting.Count}");
        await rig.FinishAsync();
        var jobs = await rig.CheckAsync();
        Assert.All(jobs.Values, static one => Assert.True(one.Job.Status.State == JobState.Succeeded || one.Job.Status.Reason is JobReason.Lost or JobReason.Exception, $"{one.Job.Kind} {one.Job.Status.Reason}"));
    }

    private static async Task UntilAsync(Func<bool> condition)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        limit.CancelAfter(TimeSpan.FromSeconds(30));
        while (!condition())
        {
            await Task.Delay(20, limit.Token);
        }
    }
}
