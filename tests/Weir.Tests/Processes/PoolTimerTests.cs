using Weir.Execution.Pools.Core;

namespace Weir.Tests.Processes;

public sealed class PoolAlarmTests : IDisposable
{
    private readonly ManualTime _time = new();
    private readonly PoolTimer _alarm;
    private readonly List<Exception> _failures = [];
    private int _rings;
    private bool _isBroken;

    public PoolAlarmTests() => _alarm = new PoolTimer(_time, Ring, _failures.Add);

    private TimeSpan Now => new(_time.GetTimestamp());

    public void Dispose() => _alarm.Dispose();

    [Fact]
    public void It_rings_when_it_is_time()
    {
        _alarm.Set(Now + TimeSpan.FromMilliseconds(5), Now);
        _time.Advance(TimeSpan.FromMilliseconds(4));
        Assert.Equal(0, _rings);
        _time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal(1, _rings);
    }

    [Fact]
    public void What_is_sooner_moves_it_and_what_is_later_does_not()
    {
        _alarm.Set(Now + TimeSpan.FromMilliseconds(50), Now);
        _alarm.Set(Now + TimeSpan.FromMilliseconds(5), Now);
        _alarm.Set(Now + TimeSpan.FromMilliseconds(100), Now);
        _time.Advance(TimeSpan.FromMilliseconds(5));
        Assert.Equal(1, _rings);
        _time.Advance(TimeSpan.FromMilliseconds(200));
        Assert.Equal(1, _rings);
    }

    [Fact]
    public void What_is_further_away_than_timers_count_is_looked_at_again_before()
    {
        _alarm.Set(Now + TimeSpan.FromDays(98), Now);
        _time.Advance(TimeSpan.FromDays(1));
        Assert.Equal(1, _rings);
    }

    [Theory]
    [InlineData(400, false)]
    [InlineData(600, true)]
    public void It_says_whether_it_rang_so_late_that_the_host_must_have_stood_still(int milliseconds, bool isLate)
    {
        _alarm.Set(Now + TimeSpan.FromSeconds(2), Now);
        _time.Advance(TimeSpan.FromSeconds(2) + TimeSpan.FromMilliseconds(milliseconds));
        Assert.Equal(isLate, _alarm.Rang(Now));
        Assert.False(_alarm.Rang(Now));
    }

    [Fact]
    public void What_its_owner_throws_does_not_leave_the_timer()
    {
        _isBroken = true;
        _alarm.Set(Now + TimeSpan.FromMilliseconds(5), Now);
        _time.Advance(TimeSpan.FromMilliseconds(5));
        Assert.IsType<IOException>(Assert.Single(_failures));
    }

    private void Ring()
    {
        _rings++;
        if (_isBroken)
        {
            throw new IOException("Too many open files");
        }
    }

    /// <summary>A timer for less than its grain would ring at once, find that it is not time, and ring at once again.</summary>
    [Fact]
    public void What_is_nearer_than_its_grain_does_not_make_it_ring_without_end()
    {
        var end = Now + TimeSpan.FromMilliseconds(10);
        while (Now < end)
        {
            _alarm.Rang(Now);
            _alarm.Set(Now + TimeSpan.FromMicroseconds(1), Now);
            _time.Advance(TimeSpan.FromMicroseconds(100));
            var before = _rings;
            _time.Advance(TimeSpan.FromMicroseconds(900));
            Assert.Equal(before + 1, _rings);
        }

        Assert.Equal(10, _rings);
    }
}
