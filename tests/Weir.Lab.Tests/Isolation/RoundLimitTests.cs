using System.Diagnostics;
using Weir.Lab.Isolation;

namespace Weir.Lab.Tests.Isolation;

public sealed class RoundLimitTests
{
    [Fact]
    public void A_count_is_begun_and_no_more()
    {
        var limit = RoundLimit.Of(new ControlLine("pool").With("count", 3));
        Assert.True(limit.GoesOn(2, Stopwatch.StartNew()));
        Assert.False(limit.GoesOn(3, Stopwatch.StartNew()));
    }

    [Fact]
    public void When_the_time_is_over_no_more_is_begun()
    {
        var limit = RoundLimit.Of(new ControlLine("pool").With("seconds", 0));
        Assert.False(limit.GoesOn(1, new Stopwatch()));
        Assert.True(RoundLimit.Of(new ControlLine("pool").With("seconds", 1)).GoesOn(1, new Stopwatch()));
    }

    [Fact]
    public void One_is_always_begun() => Assert.True(RoundLimit.Of(new ControlLine("pool").With("seconds", 0)).GoesOn(0, new Stopwatch()));

    [Fact]
    public void Without_a_limit_it_goes_on() => Assert.True(RoundLimit.Of(new ControlLine("pool")).GoesOn(1_000_000, new Stopwatch()));
}
