using Weir.Execution.Pools.Core;

namespace Weir.Tests.Processes;

public sealed class PoolTimerTests : IDisposable
{
    private readonly ManualTime _time = new();
    private readonly PoolTimer _timer;
    private readonly List<Exception> _failures = [];
    private int _fired;
    private bool _isBroken;

    public PoolTimerTests() => _timer = new PoolTimer(_time, Fire, _failures.Add);

    private TimeSpan Now => new(_time.GetTimestamp());

    public void Dispose() => _timer.Dispose();

    [Fact]
    public void The_timer_fires_on_time()
    {
        _timer.Set(Now + TimeSpan.FromMilliseconds(5), Now);
        _time.Advance(TimeSpan.FromMilliseconds(4));
        Assert.Equal(0, _fired);
        _time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal(1, _fired);
    }

    [Fact]
    public void An_earlier_time_moves_the_timer_and_a_later_one_does_not()
    {
        _timer.Set(Now + TimeSpan.FromMilliseconds(50), Now);
        _timer.Set(Now + TimeSpan.FromMilliseconds(5), Now);
        _timer.Set(Now + TimeSpan.FromMilliseconds(100), Now);
        _time.Advance(TimeSpan.FromMilliseconds(5));
        Assert.Equal(1, _fired);
        _time.Advance(TimeSpan.FromMilliseconds(200));
        Assert.Equal(1, _fired);
    }

    [Fact]
    public void A_time_beyond_the_maximum_of_a_timer_is_checked_again_before_it_comes()
    {
        _timer.Set(Now + TimeSpan.FromDays(98), Now);
        _time.Advance(TimeSpan.FromDays(1));
        Assert.Equal(1, _fired);
    }

    [Theory]
    [InlineData(400, false)]
    [InlineData(600, true)]
    public void The_timer_reports_that_it_fired_so_late_that_the_host_must_have_been_suspended(int milliseconds, bool isLate)
    {
        _timer.Set(Now + TimeSpan.FromSeconds(2), Now);
        _time.Advance(TimeSpan.FromSeconds(2) + TimeSpan.FromMilliseconds(milliseconds));
        Assert.Equal(isLate, _timer.Fired(Now));
        Assert.False(_timer.Fired(Now));
    }

    [Fact]
    public void An_exception_of_the_owner_does_not_escape_from_the_timer()
    {
        _isBroken = true;
        _timer.Set(Now + TimeSpan.FromMilliseconds(5), Now);
        _time.Advance(TimeSpan.FromMilliseconds(5));
        Assert.IsType<IOException>(Assert.Single(_failures));
    }

    private void Fire()
    {
        _fired++;
        if (_isBroken)
        {
            throw new IOException("Too many open files");
        }
    }

    /// <summary>A timer for less than its resolution would fire at once, find that it is too early, and fire at once again.</summary>
    [Fact]
    public void A_time_nearer_than_the_resolution_does_not_fire_the_timer_in_a_loop()
    {
        var end = Now + TimeSpan.FromMilliseconds(10);
        while (Now < end)
        {
            _timer.Fired(Now);
            _timer.Set(Now + TimeSpan.FromMicroseconds(1), Now);
            _time.Advance(TimeSpan.FromMicroseconds(100));
            var before = _fired;
            _time.Advance(TimeSpan.FromMicroseconds(900));
            Assert.Equal(before + 1, _fired);
        }

        Assert.Equal(10, _fired);
    }
}
