using System.Collections.Concurrent;
using Weir.Execution.Threading;

namespace Weir.Tests.Processes;

public class HostThreadTests
{
    private readonly HostThread _thread = new("test", TimeProvider.System);
    private readonly BlockingCollection<(string What, bool IsPool)> _called = [];

    [Fact]
    public void Callbacks_run_in_order_and_not_on_the_thread_pool_even_after_an_exception()
    {
        _thread.Post(Call("first"), Fail);
        _thread.Post(static () => throw new InvalidOperationException(), failure => _called.Add((failure.GetType().Name, Thread.CurrentThread.IsThreadPoolThread)));
        _thread.Post(Call("second"), Fail);
        Assert.Equal([("first", false), (nameof(InvalidOperationException), false), ("second", false)], Take(3));
    }

    [Fact]
    public void Timers_fire_on_time_and_the_earlier_one_first()
    {
        using var late = _thread.Add(Call("late"), Fail);
        using var soon = _thread.Add(Call("soon"), Fail);
        using var never = _thread.Add(Call("never"), Fail);
        never.Change(TimeSpan.Zero + TimeSpan.FromDays(1), Timeout.InfiniteTimeSpan);
        late.Change(TimeSpan.FromMilliseconds(20), Timeout.InfiniteTimeSpan);
        soon.Change(TimeSpan.FromMilliseconds(1), Timeout.InfiniteTimeSpan);
        Assert.Equal([("soon", false), ("late", false)], Take(2));
    }

    [Fact]
    public void A_timer_that_was_moved_fires_once()
    {
        using var timer = _thread.Add(Call("moved"), Fail);
        using var after = _thread.Add(Call("after"), Fail);
        timer.Change(TimeSpan.FromDays(1), Timeout.InfiniteTimeSpan);
        timer.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        after.Change(TimeSpan.FromMilliseconds(5), Timeout.InfiniteTimeSpan);
        Assert.Equal([("moved", false), ("after", false)], Take(2));
    }

    private static void Fail(Exception failure)
    {
    }

    private Action Call(string what) => () => _called.Add((what, Thread.CurrentThread.IsThreadPoolThread));

    private List<(string What, bool IsPool)> Take(int count)
    {
        List<(string, bool)> taken = [];
        for (var i = 0; i < count; i++)
        {
            Assert.True(_called.TryTake(out var one, TimeSpan.FromSeconds(20)));
            taken.Add(one);
        }

        return taken;
    }
}
