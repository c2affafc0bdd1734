using Weir.Jobs.PostgreSql.Replicas;
using Weir.Tests;

namespace Weir.Jobs.PostgreSql.Tests.Replicas;

public sealed class LeaseClockTests
{
    private static readonly TimeSpan Lease = TimeSpan.FromSeconds(60);

    private readonly ManualTime _time = new();

    // The database's clock has an offset, which nothing may depend on.
    private TimeSpan _offset = TimeSpan.FromDays(1_000);

    [Fact]
    public void Others_are_presumed_lost_only_after_answers_for_a_whole_lease()
    {
        var clock = new LeaseClock(Lease, _time);
        Assert.False(clock.MayDeclare(out _));
        Answer(clock);
        for (var renewals = 0; renewals < 5; renewals++)
        {
            _time.Advance(clock.Interval);
            Assert.False(clock.MayDeclare(out _));
            Answer(clock);
        }

        _time.Advance(clock.Interval - TimeSpan.FromTicks(1));
        Assert.False(clock.MayDeclare(out _));
        _time.Advance(TimeSpan.FromTicks(1));
        Assert.True(clock.MayDeclare(out var before));

        // The declaration has no effect where the database stops before it.
        Assert.Equal(Database() - clock.Interval + (Lease / 3), before);
    }

    [Fact]
    public void A_renewal_without_an_answer_begins_the_lease_of_answers_again()
    {
        var clock = Old();
        clock.Failed();
        Assert.False(clock.MayDeclare(out _));
        AssertDeclaresAfterALease(clock);
    }

    [Fact]
    public void An_answer_that_took_long_begins_the_lease_of_answers_again()
    {
        var clock = Old();
        var sent = clock.Now;
        _time.Advance(Lease / 3 + TimeSpan.FromTicks(1));
        Assert.False(clock.MayDeclare(out _));
        clock.Renewed(sent, Database());
        AssertDeclaresAfterALease(clock, isAnswered: true);
    }

    [Theory]
    [InlineData(21)]
    [InlineData(3_600)]
    [InlineData(-21)]
    public void A_database_whose_clock_was_set_begins_the_lease_of_answers_again(int seconds)
    {
        var clock = Old();
        _offset += TimeSpan.FromSeconds(seconds);
        AssertDeclaresAfterALease(clock);
    }

    [Fact]
    public void A_small_difference_of_clocks_changes_nothing()
    {
        var clock = Old();
        _offset += TimeSpan.FromSeconds(5);
        Answer(clock);
        Assert.True(clock.MayDeclare(out _));
    }

    [Fact]
    public void A_lease_is_in_danger_5_s_before_its_end_and_that_is_said_once()
    {
        var clock = new LeaseClock(Lease, _time);
        Answer(clock);
        Assert.Equal(TimeSpan.FromSeconds(55), clock.UntilDanger);
        _time.Advance(TimeSpan.FromSeconds(55) - TimeSpan.FromTicks(1));
        Assert.False(clock.TryLose());
        _time.Advance(TimeSpan.FromTicks(1));
        Assert.Equal(TimeSpan.Zero, clock.UntilDanger);
        Assert.True(clock.TryLose());
        _time.Advance(Lease);
        Assert.False(clock.TryLose());
        Assert.False(clock.Lose());
        Answer(clock);
        Assert.False(clock.TryLose());
        _time.Advance(TimeSpan.FromSeconds(55));
        Assert.True(clock.TryLose());
    }

    [Fact]
    public void A_lease_counts_from_when_its_renewal_was_sent()
    {
        var clock = new LeaseClock(Lease, _time);
        Answer(clock);
        var sent = clock.Now;
        _time.Advance(TimeSpan.FromSeconds(7));
        clock.Renewed(sent, Database());
        Assert.Equal(TimeSpan.FromSeconds(48), clock.UntilDanger);
    }

    [Fact]
    public void A_short_lease_is_in_danger_a_sixth_before_its_end()
    {
        var clock = new LeaseClock(TimeSpan.FromSeconds(3), _time);
        Answer(clock);
        Assert.Equal(TimeSpan.FromSeconds(2.5), clock.UntilDanger);
    }

    [Fact]
    public void A_process_that_was_presumed_gone_loses_its_lease_once()
    {
        var clock = new LeaseClock(Lease, _time);
        Answer(clock);
        Assert.True(clock.Lose());
        Assert.False(clock.Lose());
        _time.Advance(Lease);
        Assert.False(clock.TryLose());
    }

    private LeaseClock Old()
    {
        var clock = new LeaseClock(Lease, _time);
        Answer(clock);
        for (var renewals = 0; renewals < 6; renewals++)
        {
            _time.Advance(clock.Interval);
            Answer(clock);
        }

        Assert.True(clock.MayDeclare(out _));
        return clock;
    }

    private void AssertDeclaresAfterALease(LeaseClock clock, bool isAnswered = false)
    {
        if (!isAnswered)
        {
            Answer(clock);
        }

        for (var renewals = 0; renewals < 6; renewals++)
        {
            Assert.False(clock.MayDeclare(out _));
            _time.Advance(clock.Interval);
            Answer(clock);
        }

        Assert.True(clock.MayDeclare(out _));
    }

    private void Answer(LeaseClock clock) => clock.Renewed(clock.Now, Database());

    private DateTime Database() => DateTime.UnixEpoch + _offset + _time.GetElapsedTime(0);
}
