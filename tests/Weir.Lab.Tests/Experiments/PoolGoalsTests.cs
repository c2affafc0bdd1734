using Weir.Lab.Engine;
using Weir.Lab.Experiments;

namespace Weir.Lab.Tests.Experiments;

public sealed class PoolGoalsTests
{
    [Theory]
    [InlineData(960, true)]
    [InlineData(940, false)]
    public void A_pool_that_lost_a_worker_may_not_be_slower_for_it(double afterKill, bool holds)
    {
        const string @case = "null calls of 1 KB, one worker, 256 in flight, after a killed worker";
        var measured = new Measured(
            [Row.Fixed("weir, no worker killed", @case, "tasks/s", 1000, "1/s"), Row.Fixed("weir, one worker killed", @case, "tasks/s", afterKill, "1/s")], []);
        Assert.Equal(holds, new PoolGoals().Promises(measured, Scale.Full).Single(promise => promise.Readings.IsMeasured).Holds);
    }
}
