namespace Weir.Jobs.Tests.Running;

public sealed class EarlyTimerTests
{
    [Fact]
    public async Task A_job_starts_although_the_timer_fires_before_it_is_due()
    {
        var ct = TestContext.Current.CancellationToken;
        await using var host = await JobsHost.StartAsync(static jobs => jobs.UseMemory(), time: new EarlyTimers(TimeSpan.FromMilliseconds(10)));
        var job = await host.Reports.EnqueueAsync(reports => reports.Charge("a", 1), new JobOptions { After = TimeSpan.FromMilliseconds(50) }, ct);
        await job.ResultAsync(ct).WaitAsync(TimeSpan.FromSeconds(10), ct);
    }
}
