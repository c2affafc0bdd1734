using Weir.Execution.Pools.Capacity;

namespace Weir.Tests.Processes;

public class StartThrottleTests
{
    private readonly ManualTime _time = new();

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_bounded_number_of_starts_runs_at_a_time_and_the_others_wait_in_order()
    {
        var turns = new StartThrottle(2, _time);
        var first = await turns.TakeAsync(Cancel);
        var second = await turns.TakeAsync(Cancel);
        var third = turns.TakeAsync(Cancel);
        var fourth = turns.TakeAsync(Cancel);
        Assert.False(third.IsCompleted);

        second.Dispose();
        await third;
        Assert.False(fourth.IsCompleted);
        first.Dispose();
        await fourth;
    }

    [Fact]
    public async Task A_start_that_hangs_does_not_block_other_starts_for_long()
    {
        var turns = new StartThrottle(1, _time);
        using var hanging = await turns.TakeAsync(Cancel);
        var next = turns.TakeAsync(Cancel);
        _time.Advance(StartThrottle.Longest - TimeSpan.FromMilliseconds(1));
        Assert.False(next.IsCompleted);
        _time.Advance(TimeSpan.FromMilliseconds(1));
        await next;
    }

    [Fact]
    public async Task A_turn_that_has_expired_is_not_released_again()
    {
        var turns = new StartThrottle(1, _time);
        var late = await turns.TakeAsync(Cancel);
        _time.Advance(StartThrottle.Longest);
        using var next = await turns.TakeAsync(Cancel);
        late.Dispose();
        Assert.False(turns.TakeAsync(Cancel).IsCompleted);
    }

    [Fact]
    public async Task A_cancelled_waiter_takes_no_turn()
    {
        var turns = new StartThrottle(1, _time);
        var first = await turns.TakeAsync(Cancel);
        using var leaving = new CancellationTokenSource();
        var second = turns.TakeAsync(leaving.Token);
        var third = turns.TakeAsync(Cancel);
        await leaving.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => second);
        first.Dispose();
        await third;
        Assert.Equal(1, _time.ActiveTimers);
    }
}
