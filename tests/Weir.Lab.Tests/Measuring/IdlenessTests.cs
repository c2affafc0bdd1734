using Weir.Lab.Measuring;

namespace Weir.Lab.Tests.Measuring;

public sealed class IdlenessTests
{
    [Fact]
    public void Threads_that_have_come_count_and_those_that_have_gone_do_not() =>
        Assert.Equal(3 + 7, Idleness.Between(
            new Dictionary<string, long> { ["stays"] = 10, ["goes"] = 100 }, new Dictionary<string, long> { ["stays"] = 13, ["comes"] = 7 }));

    [Fact]
    public async Task A_thread_that_wakes_up_again_and_again_is_seen()
    {
        using var stop = new CancellationTokenSource();
        var waking = Task.Factory.StartNew(
            () =>
            {
                while (!stop.IsCancellationRequested)
                    Thread.Sleep(5);
            },
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        var seen = await Idleness.OverAsync(new ProcessMeter(Environment.ProcessId), TimeSpan.FromSeconds(0.5), TestContext.Current.CancellationToken);
        await stop.CancelAsync();
        await waking;
        Assert.InRange(seen.Wakeups, 10, double.MaxValue);
    }
}
