using Weir.Lab.Engine;

namespace Weir.Lab.Tests.Engine;

public sealed class PromiseTests
{
    [Theory]
    [InlineData(Relation.AtMost, 5, 5, true)]
    [InlineData(Relation.AtMost, 5.1, 5, false)]
    [InlineData(Relation.AtLeast, 5, 5, true)]
    [InlineData(Relation.AtLeast, 4.9, 5, false)]
    [InlineData(Relation.Exactly, 0, 0, true)]
    [InlineData(Relation.Exactly, 1, 0, false)]
    internal void It_holds_when_the_value_stands_as_promised(Relation relation, double value, double limit, bool holds) =>
        Assert.Equal(holds, Promise.Count("lost", value, relation, limit).Holds);

    [Fact]
    public void What_was_not_measured_does_not_hold()
    {
        Assert.False(Promise.Count("lost", null, Relation.AtMost, 0).Holds);
        Assert.False(Promise.Ratio("faster", 2, null, Relation.AtLeast, 1).Holds);
        Assert.False(Promise.Ratio("faster", null, 2, Relation.AtLeast, 1).Holds);
    }

    [Fact]
    public void A_ratio_near_its_limit_is_close_whichever_way_it_fell()
    {
        Assert.True(Promise.Ratio("", 1.04, 1, Relation.AtLeast, 1).IsClose(0.05));
        Assert.True(Promise.Ratio("", 0.96, 1, Relation.AtLeast, 1).IsClose(0.05));
        Assert.False(Promise.Ratio("", 1.06, 1, Relation.AtLeast, 1).IsClose(0.05));
        Assert.False(Promise.Count("", 1, Relation.AtMost, 1).IsClose(0.05));
    }
}
