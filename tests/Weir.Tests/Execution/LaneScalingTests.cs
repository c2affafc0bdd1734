using Weir.Execution.Lanes;

namespace Weir.Tests.Execution;

public sealed class LaneScalingTests
{
    private static readonly TimeSpan Old = TimeSpan.FromMilliseconds(2);

    [Fact]
    public void Nothing_starts_while_nothing_waits() => Assert.Equal(0, LaneScaling.Decide(0, Old, 10, 1024));

    [Fact]
    public void Nothing_starts_before_the_oldest_call_waited_a_millisecond() =>
        Assert.Equal(0, LaneScaling.Decide(100, TimeSpan.FromMilliseconds(0.9), 10, 1024));

    [Theory]
    [InlineData(5, 0, 5)] // as many as there are waiting calls
    [InlineData(1000, 0, 16)] // at most sixteen in one step
    [InlineData(1000, 100, 66)] // plus half of the existing threads
    [InlineData(1000, 1000, 24)] // up to the limit
    [InlineData(1000, 1024, 0)]
    public void One_step_is_bounded_by_queue_limit_and_half_the_threads(int queued, int threads, int expected) =>
        Assert.Equal(expected, LaneScaling.Decide(queued, Old, threads, 1024));

    [Fact]
    public void A_thousand_waiting_calls_reach_the_limit_in_a_dozen_steps()
    {
        var threads = 0;
        var steps = 0;
        while (threads < 1024)
        {
            threads += LaneScaling.Decide(10_000, Old, threads, 1024);
            steps++;
        }

        Assert.Equal(1024, threads);
        Assert.InRange(steps, 1, 12);
    }
}
