using Weir.Lab.Contenders.OnWeir;

namespace Weir.Lab.Tests.Contenders;

public sealed class ControlTimesTests
{
    [Theory]
    [InlineData(0, Asked.Time)]
    [InlineData(Asked.Time - 50, 50)]
    [InlineData(Asked.Time, 0)]
    [InlineData(Asked.Time + 50, 0)]
    public void What_happens_before_its_time_is_early_and_never_late(double milliseconds, double early) =>
        Assert.Equal(early, ControlTimes.Early(new ControlTimes.Lapse(AtLeast: milliseconds, AtMost: milliseconds)));
}
