using Weir.Lab.Engine;
using Weir.Lab.Experiments;

namespace Weir.Lab.Tests.Experiments;

public sealed class LoadToolTests
{
    [Theory]
    [InlineData(1970, true)]
    [InlineData(1949, false)]
    [InlineData(5, false)]
    public void A_p99_that_hides_part_of_the_stall_breaks_the_promise(double p99, bool holds)
    {
        var measured = new Measured([Row.Fixed("weir, open", "a stall of 2 s", "p99", p99, "ms")], []);
        Assert.Equal(holds, new LoadTool().Promises(measured, Scale.Quick).Single(promise => promise.Readings.IsMeasured).Holds);
    }
}
