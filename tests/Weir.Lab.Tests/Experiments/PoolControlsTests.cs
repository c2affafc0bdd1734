using System.Reflection;
using Weir.Lab.Engine;
using Weir.Lab.Experiments;

namespace Weir.Lab.Tests.Experiments;

public sealed class PoolControlsTests
{
    private const string Times = "by the clock";

    [Fact]
    public void Every_option_of_a_pool_is_read_back() =>
        Assert.Equal(
            typeof(PoolOptions).GetProperties(BindingFlags.Public | BindingFlags.Instance).Select(property => property.Name).Order(), PoolControls.OptionsRead.Order());

    [Theory]
    [InlineData("IdleTimeout")]
    [InlineData("QuarantineTime")]
    public void An_option_that_fires_at_once_is_not_kept(string option)
    {
        Assert.True(Assert.Single(Weighed(option, early: 0)).Holds);
        Assert.False(Assert.Single(Weighed(option, early: 400)).Holds);
    }

    [Theory]
    [InlineData("shown by workers", "StandbyWorkers", 2, true)]
    [InlineData("shown by workers", "StandbyWorkers", 0, false)]
    [InlineData("shown by workers", "StandbyWorkers", 3, false)]
    [InlineData("shown by workers", "StandbyWorkers none", 1, false)]
    [InlineData("shown by workers", "OnCrash", 2, false)]
    [InlineData("shown by workers", "MaxWorkers of all pools", 3, false)]
    [InlineData("shown by workers", "QuarantineKills", 3, true)]
    [InlineData("shown by workers", "QuarantineKills", 5, false)]
    [InlineData("shown by workers", "QuarantineTime zero", 3, true)]
    [InlineData("shown by workers", "QuarantineTime zero", 1, false)]
    [InlineData("by calls over HTTP", "QueueLimit", 2, true)]
    [InlineData("by calls over HTTP", "QueueLimit", 5, false)]
    public void What_was_read_decides(string @case, string option, double value, bool holds) =>
        Assert.Equal(holds, Promises(@case, option, value).Where(promise => promise.Readings.IsMeasured).All(promise => promise.Holds));

    private static IEnumerable<Promise> Weighed(string option, double early) => Promises(Times, $"{option}, early", early).Where(promise => promise.Readings.IsMeasured);

    private static IEnumerable<Promise> Promises(string @case, string metric, double value) =>
        new PoolControls().Promises(new Measured([Row.Fixed("weir", @case, metric, value, "")], []), Scale.Full);
}
