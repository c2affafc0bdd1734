using Weir.Execution.Inline;

namespace Weir.Tests.Execution;

public sealed class BlockedCallsTests
{
    private static readonly TimeSpan Threshold = Milliseconds(20);
    private static readonly ThreadTimes Blocked = Spent(processor: 1);
    private static readonly ThreadTimes Computed = Spent(processor: 30);

    private readonly BlockedCalls _calls = new(Threshold);

    [Fact]
    public void Calls_are_measured_only_after_one_that_took_long()
    {
        Assert.False(_calls.IsMeasured);
        _calls.TookLong();
        for (var i = 0; i < BlockedCalls.MostMeasured; i++)
        {
            Assert.True(_calls.IsMeasured);
            Assert.False(_calls.Add(Milliseconds(1), null));
        }

        Assert.False(_calls.IsMeasured);
    }

    [Fact]
    public void The_third_call_that_blocks_is_reported_and_no_other()
    {
        _calls.TookLong();
        Assert.Equal([false, false, true, false, false, false, false], Enumerable.Range(0, 7).Select(_ => _calls.Add(Milliseconds(40), Blocked)));
        Assert.Equal(7, _calls.Count);
    }

    [Fact]
    public void An_operation_that_blocks_often_stays_measured()
    {
        _calls.TookLong();
        for (var i = 0; i < 10 * BlockedCalls.MostMeasured; i++)
        {
            _calls.Add(Milliseconds(40), i % (BlockedCalls.MostMeasured / 2) == 0 ? Blocked : Computed);
        }

        Assert.True(_calls.IsMeasured);
        Assert.Equal(20, _calls.Count);
    }

    [Fact]
    public void Calls_that_block_rarely_are_counted_and_never_reported()
    {
        for (var round = 0; round < 5; round++)
        {
            _calls.TookLong();
            Assert.False(_calls.Add(Milliseconds(40), Blocked));
            for (var i = 0; i < BlockedCalls.MostMeasured; i++)
            {
                Assert.False(_calls.Add(Milliseconds(1), null));
            }
        }

        Assert.Equal(5, _calls.Count);
    }

    [Theory]
    [InlineData("It waited for nearly all of the time", 1, 0, 0, 1, true)]
    [InlineData("It waited for three quarters of the time", 10, 0, 0, 1, true)]
    [InlineData("It computed", 40, 0, 0, 1, false)]
    [InlineData("It computed for a third of the time", 14, 0, 0, 1, false)]
    [InlineData("It waited for a processor on a busy machine", 2, 25, 0, 1, false)]
    [InlineData("It waited for a processor for some of the time", 2, 15, 0, 1, true)]
    [InlineData("It was suspended by the garbage collector", 2, 0, 30, 1, false)]
    [InlineData("It never gave its processor back: the virtual machine was stopped", 2, 0, 0, 0, false)]
    public void A_call_of_40_ms_is_counted_where_its_thread_waited_for_something_else_than_a_processor(string what, double processor, double queued, double paused, long turns, bool isBlocked)
    {
        Assert.NotEmpty(what);
        _calls.TookLong();
        _calls.Add(Milliseconds(40), Spent(processor, queued, paused, turns));
        Assert.Equal(isBlocked ? 1 : 0, _calls.Count);
    }

    [Fact]
    public void What_calls_inside_it_took_does_not_count()
    {
        _calls.TookLong();
        _calls.Add(Milliseconds(19), Blocked);
        Assert.Equal(0, _calls.Count);
        _calls.Add(Milliseconds(20), Blocked);
        Assert.Equal(1, _calls.Count);
    }

    [Theory]
    [InlineData("123 4567 89", 45, 89L)]
    [InlineData("0 53497 1", 534, 1L)]
    [InlineData("0 0 0", null, 0L)]
    [InlineData("1 2", null, 0L)]
    [InlineData("1 2 3 4", null, 0L)]
    [InlineData("a b c", null, 0L)]
    [InlineData("", null, 0L)]
    public void The_times_of_a_thread_are_read_where_the_kernel_counts_them(string line, int? ticks, long turns) =>
        Assert.Equal(ticks is { } waited ? (new TimeSpan(waited), turns) : null, ThreadTimes.ParseQueue(line));

    private static TimeSpan Milliseconds(double milliseconds) => TimeSpan.FromMilliseconds(milliseconds);

    private static ThreadTimes Spent(double processor, double queued = 0, double paused = 0, long turns = 1) =>
        new(Milliseconds(processor), Milliseconds(queued), Milliseconds(paused), turns);
}
