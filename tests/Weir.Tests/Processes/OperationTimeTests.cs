using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes;

public class OperationTimeTests
{
    [Fact]
    public void Nothing_is_known_before_four_calls_and_the_shortest_of_them_is_where_it_begins()
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
    public void It_follows_what_calls_take_now(long ticks)
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
    public void One_slow_call_is_no_habit()
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
