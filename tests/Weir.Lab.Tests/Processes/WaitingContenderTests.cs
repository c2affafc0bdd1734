using Weir.Lab.Engine;
using Weir.Lab.Processes;

namespace Weir.Lab.Tests.Processes;

public sealed class WaitingContenderTests
{
    [Fact]
    public async Task All_its_rounds_run_at_the_same_time_and_each_counts()
    {
        var begun = 0;
        var all = new TaskCompletionSource();
        await using var contender = new WaitingContender("a", 3, async _ =>
        {
            var number = Interlocked.Increment(ref begun);
            if (number == 3)
                all.SetResult();
            await all.Task;
            return new Round().Add("number", number, "");
        });
        var result = await new RoundScheduler(TimeProvider.System, new SilentObserver())
            .RunAsync(new Case("case", [contender]) { Rounds = 3 }, TestContext.Current.CancellationToken);
        Assert.Equal([1, 2, 3], Assert.Single(result.Rows).Rounds!);
    }
}
