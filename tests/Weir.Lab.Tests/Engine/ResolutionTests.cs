using Weir.Lab.Engine;

namespace Weir.Lab.Tests.Engine;

public sealed class ResolutionTests
{
    [Fact]
    public void Identical_rounds_still_leave_a_percent() => Assert.Equal(0.01, Resolution.Of([100, 100, 100], [100, 100, 100]));

    [Fact]
    public void Medians_that_are_apart_are_the_resolution() => Assert.Equal(0.2, Resolution.Of([120, 120, 120], [100, 100, 100]), 3);

    [Fact]
    public void Rounds_that_vary_count_although_the_medians_agree() => Assert.Equal(0.5, Resolution.Of([150, 100, 100], [100, 150, 100]), 3);

    [Fact]
    public void It_does_not_matter_who_is_who() =>
        Assert.Equal(Resolution.Of([90, 110, 95], [100, 105, 99]), Resolution.Of([100, 105, 99], [90, 110, 95]));

    [Fact]
    public void Both_need_equally_many_rounds() => Assert.Throws<ArgumentException>(() => Resolution.Of([1, 2], [1]));
}
