using System.Text;
using Weir.Lab.Load;
using Weir.Lab.Measuring;

namespace Weir.Lab.Tests.Load;

public sealed class ItemClockTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(5)]
    [InlineData(1000)]
    public void Every_item_is_found_with_its_age_however_the_body_is_cut(int step)
    {
        var clock = new ItemClock();
        var start = Clock.Now;
        var body = $$"""[{"x":1,"at":{{start}}},{"x":2,"at":{{start + Clock.TicksOf(0.001)}}}]""";
        foreach (var part in Encoding.ASCII.GetBytes(body).Chunk(step))
            clock.Feed(part, start + Clock.TicksOf(0.003));

        Assert.Equal(2, clock.Items);
        Assert.Equal(start + Clock.TicksOf(0.003), clock.FirstAt);
        Assert.Equal(3, clock.Age.Milliseconds(100), 2);
        Assert.Equal(2, clock.Age.Milliseconds(0), 2);
    }
}
