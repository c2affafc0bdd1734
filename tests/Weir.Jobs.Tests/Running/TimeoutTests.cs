namespace Weir.Jobs.Tests.Running;

/// <summary>From when on the time of an attempt counts.</summary>
public sealed class TimeoutTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Fact]
    public async Task The_time_that_a_job_waits_for_a_thread_of_the_lane_does_not_count()
    {
        await using var host = await JobsHost.StartAsync(static jobs => jobs.UseMemory(), weir: static weir => weir.Lane.MinThreads = weir.Lane.MaxThreads = 1);
        var blocking = host.Get<IReportsClient>().BlockLane("gate").AsTask();
        while (host.Board.Lines.IsEmpty)
        {
            await Task.Delay(5, Ct);
        }

        var job = await host.Reports.EnqueueAsync(reports => reports.BriefOnLane(), cancellationToken: Ct);
        await Task.Delay(400, Ct);
        Assert.Equal(JobState.Running, (await job.GetAsync(Ct))!.State);
        host.Board.Open("gate");
        await blocking;
        await job.ResultAsync(Ct);
    }

    [Fact]
    public async Task A_job_on_the_lane_that_takes_too_long_fails_with_its_timeout()
    {
        await using var host = await JobsHost.StartAsync(static jobs => jobs.UseMemory());
        var job = await host.Reports.EnqueueAsync(reports => reports.LongOnLane(), cancellationToken: Ct);
        Assert.Equal(JobReason.Timeout, (await job.WaitAsync(Ct)).Reason);
    }
}
