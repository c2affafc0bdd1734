using Weir.Lab.Engine;
using Weir.Lab.Experiments;

namespace Weir.Lab.Tests.Experiments;

public sealed class PoolGoalsTests
{
    [Theory]
    [InlineData(10, true)]
    [InlineData(12, false)]
    public void Polling_may_not_be_slower_for_a_call_alone_where_every_core_has_a_worker(double polling, bool holds)
    {
        const string @case = "null calls, one in flight, as many workers as cores";
        var measured = new Measured([Row.Fixed("weir", @case, "p50", polling, "µs"), Row.Fixed("weir without polling", @case, "p50", 10, "µs")], []);
        Assert.Equal(holds, new PoolGoals().Promises(measured, Scale.Full).Single(promise => promise.Readings.IsMeasured).Holds);
    }
}
