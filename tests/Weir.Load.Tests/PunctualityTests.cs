using Weir.Load.Measuring;

namespace Weir.Load.Tests;

public sealed class PunctualityTests
{
    private readonly Punctuality _punctuality = new();

    [Fact]
    public void With_idle_connections_all_lateness_is_the_generators()
    {
        _punctuality.Returned(150);
        Assert.Equal((0, 30), _punctuality.Split(intended: 100, now: 130));
    }

    [Fact]
    public void Until_a_connection_returned_no_request_could_have_been_sent()
    {
        _punctuality.RanOut();
        _punctuality.Returned(180);
        Assert.Equal((80, 5), _punctuality.Split(intended: 100, now: 185));
    }

    [Fact]
    public void A_connection_that_returned_before_the_request_was_due_is_no_excuse()
    {
        _punctuality.RanOut();
        _punctuality.Returned(90);
        Assert.Equal((0, 20), _punctuality.Split(intended: 100, now: 120));
    }

    [Fact]
    public void The_first_that_returns_ends_the_want_and_not_the_next()
    {
        _punctuality.RanOut();
        _punctuality.Returned(120);
        _punctuality.Returned(170);
        Assert.Equal((20, 60), _punctuality.Split(intended: 100, now: 180));
    }
}
