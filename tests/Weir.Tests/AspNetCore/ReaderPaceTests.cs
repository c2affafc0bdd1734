using Weir.AspNetCore.Streaming;

namespace Weir.Tests.AspNetCore;

public sealed class ReaderPaceTests
{
    private readonly ManualTime _time = new();
    private bool _takes = true;
    private int _looks;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task A_reader_that_takes_all_bytes_causes_no_wait_and_is_soon_not_checked_any_more()
    {
        var pace = Pace();
        for (var bytes = 0; bytes < ReaderPace.Proof; bytes += ReaderPace.PieceSize)
        {
            Assert.False(pace.IsFast);
            var taking = pace.TakenAsync(ReaderPace.PieceSize, Cancel).AsTask();
            Assert.True(taking.IsCompletedSuccessfully);
            await taking;
        }

        var looks = _looks;
        Assert.True(pace.IsFast);
        _takes = false;
        Assert.True(pace.TakenAsync(ReaderPace.PieceSize, Cancel).AsTask().IsCompletedSuccessfully);
        Assert.Equal(looks, _looks);
    }

    [Fact]
    public async Task A_reader_that_takes_nothing_causes_a_wait_until_it_takes_bytes()
    {
        var pace = Pace();
        _takes = false;
        var taking = pace.TakenAsync(1, Cancel).AsTask();
        _time.Advance(TimeSpan.FromMinutes(1));
        Assert.False(taking.IsCompleted);

        _takes = true;
        _time.Advance(TimeSpan.FromSeconds(1));
        await taking;
        Assert.Equal(0, _time.ActiveTimers);
    }

    // 1 ms, then a quarter longer each time, then a second: the bytes still to be sent are enough for a quarter of the time so far.
    [Theory]
    [InlineData(5, 1)]
    [InlineData(100, 25)]
    [InlineData(6_000, 1_000)]
    public async Task A_reader_that_resumes_waits_for_a_quarter_of_its_delay_and_no_longer_than_a_second(int after, int most)
    {
        var pace = Pace();
        _takes = false;
        var taking = pace.TakenAsync(1, Cancel).AsTask();
        Advance(after);
        _takes = true;
        Advance(most + 1);
        Assert.True(taking.IsCompleted);
        await taking;
    }

    [Fact]
    public async Task A_reader_that_takes_nothing_for_a_long_time_is_checked_once_a_second()
    {
        var pace = Pace();
        _takes = false;
        var taking = pace.TakenAsync(1, Cancel).AsTask();
        Advance(6_000);
        var looks = _looks;
        Advance(10_000);
        Assert.InRange(_looks - looks, 9, 11);
        _takes = true;
        Advance(1_001);
        await taking;
    }

    [Theory]
    [InlineData(4, true)]
    [InlineData(100, false)]
    public async Task Only_a_long_delay_counts_against_a_reader(int milliseconds, bool isFast)
    {
        var pace = Pace();
        await pace.TakenAsync(ReaderPace.Proof - 1, Cancel);
        _takes = false;
        var taking = pace.TakenAsync(1, Cancel).AsTask();
        Advance(milliseconds - 1);
        _takes = true;
        Advance(30);
        await taking;
        Assert.Equal(isFast, pace.IsFast);
    }

    [Theory]
    [InlineData(19, true)]
    [InlineData(20, false)]
    public async Task A_fast_reader_that_delays_a_flush_is_checked_again(int milliseconds, bool isFast)
    {
        var pace = Pace();
        await pace.TakenAsync(ReaderPace.Proof, Cancel);
        pace.Flushed(TimeSpan.FromMilliseconds(milliseconds));
        Assert.Equal(isFast, pace.IsFast);
    }

    [Fact]
    public async Task Waiting_ends_when_the_request_does()
    {
        var pace = Pace();
        _takes = false;
        using var leaving = new CancellationTokenSource();
        var taking = pace.TakenAsync(1, leaving.Token).AsTask();
        await leaving.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => taking);
        Assert.Equal(0, _time.ActiveTimers);
    }

    private ReaderPace Pace() => new(
        () =>
        {
            _looks++;
            return _takes;
        },
        _time);

    private void Advance(int milliseconds)
    {
        for (var i = 0; i < milliseconds; i++)
        {
            _time.Advance(TimeSpan.FromMilliseconds(1));
        }
    }
}
