using Weir.Lab.Engine;
using Weir.Lab.Experiments;

namespace Weir.Lab.Tests.Experiments;

public sealed class RareKindsTests
{
    [Theory]
    [InlineData("wake-ups", 3, true)]
    [InlineData("wake-ups", 5, false)]
    [InlineData("CPU", 5, true)]
    [InlineData("CPU", 9, false)]
    public void Three_hundred_idle_kinds_may_cost_hardly_more_than_one(string metric, double value, bool holds)
    {
        const string @case = "no calls";
        var measured = new Measured([Row.Fixed("weir", @case, metric, value, ""), Row.Fixed("weir, one kind", @case, metric, 2, "")], []);
        Assert.Equal(holds, new RareKinds().Promises(measured, Scale.Full).Single(promise => promise.Readings.IsMeasured).Holds);
    }

    [Fact]
    public void A_full_run_has_rounds_beside_each_other() => Assert.Equal(3, new RareKinds().Cases(Scale.Full).First().Rounds);
}
