using Weir.Protocol;

namespace Weir.Tests.Protocol;

public sealed class SpinRuleTests
{
    private const long Second = 1_000_000_000;
    private const long Microsecond = 1_000;

    [Theory]
    [InlineData(null, 50)]
    [InlineData(200, 200)]
    public void A_thread_polls_for_so_long_and_then_sleeps(int? longest, int microseconds)
    {
        var rule = new SpinRule(Second, longest is { } given ? TimeSpan.FromMicroseconds(given) : null);
        Assert.True(rule.Begin(0));
        for (var now = Microsecond; now <= microseconds * Microsecond; now += Microsecond)
        {
            Assert.True(rule.GoOn(now));
        }

        Assert.False(rule.GoOn((microseconds + 1) * Microsecond));
        Assert.True(rule.Begin((microseconds + 2) * Microsecond));
    }

    [Fact]
    public void A_yield_that_took_long_bars_polling_for_twelve_times_as_long()
    {
        var rule = new SpinRule(Second);
        Assert.True(rule.Begin(0));
        Assert.False(rule.GoOn(600 * Microsecond));
        Assert.Equal(TimeSpan.FromMicroseconds(7_100), rule.BarredFor(700 * Microsecond));
        Assert.False(rule.Begin(700 * Microsecond));
        Assert.False(rule.Begin(7_799 * Microsecond));
        Assert.True(rule.Begin(7_800 * Microsecond));
        Assert.Equal(TimeSpan.Zero, rule.BarredFor(7_800 * Microsecond));
    }

    [Fact]
    public void However_long_it_took_fifty_milliseconds_are_enough()
    {
        var rule = new SpinRule(Second);
        Assert.True(rule.Begin(0));
        Assert.False(rule.GoOn(20_000 * Microsecond));
        Assert.False(rule.Begin(69_999 * Microsecond));
        Assert.True(rule.Begin(70_000 * Microsecond));
    }

    [Fact]
    public void A_clock_of_any_frequency_will_do()
    {
        var rule = new SpinRule(10_000_000);
        Assert.True(rule.Begin(1000));
        Assert.True(rule.GoOn(1500));
        Assert.False(rule.GoOn(1501));
    }
}
