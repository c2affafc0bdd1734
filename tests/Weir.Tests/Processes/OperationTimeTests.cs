using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes;

public class OperationTimeTests
{
    [Fact]
    public void There_is_no_estimate_before_four_calls_and_the_first_estimate_is_the_shortest_of_them()
    {
        var time = new OperationTime();
        foreach (var milliseconds in new[] { 9, 5, 7 })
        {
            time.Learn(TimeSpan.FromMilliseconds(milliseconds));
            Assert.Null(time.Usual);
        }

        time.Learn(TimeSpan.FromMilliseconds(6));
        Assert.Equal(TimeSpan.FromMilliseconds(5), time.Usual);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(100)]
    [InlineData(1_000_000)]
    public void The_estimate_follows_the_current_duration_of_calls(long ticks)
    {
        var time = new OperationTime();
        for (var i = 0; i < OperationTime.LeastSamples; i++)
        {
            time.Learn(TimeSpan.FromTicks(5000));
        }

        for (var i = 0; i < 5000; i++)
        {
            time.Learn(TimeSpan.FromTicks(ticks));
        }

        Assert.InRange(time.Usual!.Value.Ticks, ticks * 9 / 10, (ticks * 11 / 10) + 8);
    }

    [Fact]
    public void One_slow_call_does_not_change_the_estimate_much()
    {
        var time = new OperationTime();
        for (var i = 0; i < 100; i++)
        {
            time.Learn(TimeSpan.FromMicroseconds(10));
        }

        time.Learn(TimeSpan.FromMicroseconds(100));
        Assert.InRange(time.Usual!.Value, TimeSpan.FromMicroseconds(10), TimeSpan.FromMicroseconds(25));
    }
}
