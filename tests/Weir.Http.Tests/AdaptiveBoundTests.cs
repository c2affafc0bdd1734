using Weir.Http.FanOut;

namespace Weir.Http.Tests;

/// <summary>How many requests an adaptive fan-out allows.</summary>
public sealed class AdaptiveBoundTests
{
    private readonly AdaptiveBound _bound = new(most: 40);
    private long _now;

    [Fact]
    public void It_grows_by_one_after_as_many_responses_as_it_is_large_up_to_its_maximum()
    {
        Assert.Equal(10, _bound.Current);
        Complete(10, took: 5);
        Assert.Equal(11, _bound.Current);
        Complete(5_000, took: 5);
        Assert.Equal(40, _bound.Current);
    }

    [Fact]
    public void A_refusal_halves_it_once_for_all_requests_that_were_in_flight()
    {
        Complete(5_000, took: 5);
        var sentAt = _now;
        _now += 5;
        for (var i = 0; i < 40; i++)
        {
            _bound.Complete(isRefused: true, sentAt, _now);
        }

        Assert.Equal(20, _bound.Current);
        _bound.Complete(isRefused: true, _now + 1, _now + 5);
        Assert.Equal(10, _bound.Current);
    }

    [Fact]
    public void It_never_falls_below_one()
    {
        for (var i = 0; i < 10; i++)
        {
            _bound.Complete(isRefused: true, _now, ++_now);
        }

        Assert.Equal(1, _bound.Current);
    }

    [Fact]
    public void A_95th_percentile_that_is_twice_the_lowest_halves_it()
    {
        Complete(5_000, took: 5);
        Complete(80, took: 9);
        Assert.Equal(40, _bound.Current);
        for (var i = 0; i < 60 && _bound.Current == 40; i++)
        {
            Complete(1, took: 20);
        }

        Assert.Equal(20, _bound.Current);
    }

    [Fact]
    public void A_server_that_became_slower_for_good_is_accepted_after_a_time()
    {
        Complete(5_000, took: 5);
        Complete(5_000, took: 20);
        Assert.Equal(40, _bound.Current);
    }

    private void Complete(int count, long took)
    {
        for (var i = 0; i < count; i++)
        {
            var sentAt = _now;
            _now += took;
            _bound.Complete(isRefused: false, sentAt, _now);
        }
    }
}
