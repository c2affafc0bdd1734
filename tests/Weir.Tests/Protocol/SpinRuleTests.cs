using Weir.Protocol;

namespace Weir.Tests.Protocol;

public sealed class SpinRuleTests
{
    private const long Second = 1_000_000_000;
    private const long Microsecond = 1_000;

    [Fact]
    public void A_thread_polls_for_so_long_and_then_sleeps()
    {
        var rule = new SpinRule(Second);
        Assert.True(rule.Begin(0));
        for (var now = Microsecond; now <= 50 * Microsecond; now += Microsecond)
        {
            Assert.True(rule.GoOn(now));
        }

        Assert.False(rule.GoOn(51 * Microsecond));
        Assert.True(rule.Begin(52 * Microsecond));
    }

    [Fact]
    public void A_yield_that_took_long_bars_polling_for_a_while()
    {
        var rule = new SpinRule(Second);
        Assert.True(rule.Begin(0));
        Assert.False(rule.GoOn(600 * Microsecond));
        Assert.False(rule.Begin(700 * Microsecond));
        Assert.False(rule.Begin(50_000 * Microsecond));
        Assert.True(rule.Begin(50_600 * Microsecond));
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
