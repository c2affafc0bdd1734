using Weir.Execution.Processes;

namespace Weir.Tests.Processes;

public class OutputRateTests
{
    [Fact]
    public void A_burst_passes_and_then_the_rate_applies()
    {
        var rate = new OutputRate(bytesPerSecond: 1000, burstBytes: 500, ticksPerSecond: 1000);
        Assert.Equal(0, rate.Take(500, now: 0));
        Assert.Equal(100, rate.Take(100, now: 0));
        Assert.Equal(0, rate.Take(0, now: 100));
        Assert.Equal(1000, rate.Take(1000, now: 100));
    }

    [Fact]
    public void Idle_time_restores_the_burst_and_no_more()
    {
        var rate = new OutputRate(bytesPerSecond: 1000, burstBytes: 500, ticksPerSecond: 1000);
        rate.Take(500, now: 0);
        Assert.Equal(0, rate.Take(500, now: 1_000_000));
        Assert.Equal(1, rate.Take(1, now: 1_000_000));
    }

    [Fact]
    public void In_the_long_run_no_more_than_the_rate_is_taken()
    {
        var rate = new OutputRate(OutputRate.DefaultBytesPerSecond, OutputRate.DefaultBurstBytes, ticksPerSecond: 1_000_000_000);
        long now = 0;
        long taken = 0;
        while (now < 1_000_000_000)
        {
            taken += 65_536;
            now += rate.Take(65_536, now) + 1;
        }

        Assert.InRange(taken, OutputRate.DefaultBytesPerSecond * 0.99, OutputRate.DefaultBytesPerSecond + OutputRate.DefaultBurstBytes + 65_536);
    }
}
