using Weir.Lab.Contenders.Stalls;
using Weir.Tests;

namespace Weir.Lab.Tests.Contenders;

public sealed class StallTests
{
    private readonly ManualTime _time = new();

    [Fact]
    public async Task Requests_that_arrive_during_the_stall_wait_for_its_end_and_others_do_not()
    {
        var stall = new Stall(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(2), _time);
        Assert.True(stall.PassAsync().IsCompleted);
        _time.Advance(TimeSpan.FromSeconds(1));
        var first = stall.PassAsync();
        _time.Advance(TimeSpan.FromSeconds(1.5));
        var second = stall.PassAsync();
        Assert.False(first.IsCompleted);
        Assert.False(stall.End.IsCompleted);
        _time.Advance(TimeSpan.FromSeconds(0.5));
        await Task.WhenAll(first, second).WaitAsync(TestContext.Current.CancellationToken);
        Assert.Equal(TimeSpan.FromSeconds(2), await stall.End);
        Assert.True(stall.PassAsync().IsCompleted);
        Assert.Equal(2, stall.Held);
    }

    [Fact]
    public void The_time_before_the_stall_begins_with_the_first_request()
    {
        var stall = new Stall(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(2), _time);
        _time.Advance(TimeSpan.FromSeconds(10));
        Assert.True(stall.PassAsync().IsCompleted);
        _time.Advance(TimeSpan.FromSeconds(0.9));
        Assert.True(stall.PassAsync().IsCompleted);
        Assert.Equal(0, stall.Held);
    }
}
