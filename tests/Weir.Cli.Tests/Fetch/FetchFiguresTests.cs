using Weir.Cli.Fetch;
using Weir.Tests;

namespace Weir.Cli.Tests.Fetch;

/// <summary>The line of progress, with a clock that the test advances.</summary>
public class FetchFiguresTests
{
    private static readonly FetchFigures Long = new()
    {
        Done = 12_345,
        All = 1_000_000,
        Rate = 8765,
        BytesPerSecond = 123.4e6,
        InFlight = 50,
        P50 = 12,
        P99 = 99,
        Failed = 1234,
        Left = TimeSpan.FromSeconds(113),
    };

    private readonly ManualTime _time = new();

    [Fact]
    public void The_line_has_all_figures()
    {
        var counters = new FetchCounters(_time);
        for (var i = 0; i < 99; i++)
        {
            counters.Add(Outcome(i, 200, milliseconds: 12, bytes: 50_000));
        }

        counters.Add(Outcome(99, 500, milliseconds: 40, bytes: 50_000));
        _time.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal("100/1,000  50 requests/s  2.5 MB/s  7 in flight  p50 12.0 ms  p99 12.0 ms  1 error  18 s left", counters.Read(1000, 7).Line(120));
    }

    [Theory]
    [InlineData(200, "12,345/1,000,000  8,765 requests/s  123.4 MB/s  50 in flight  p50 12.0 ms  p99 99.0 ms  1,234 errors  1 min 53 s left")]
    [InlineData(117, "12,345/1,000,000  8,765 requests/s  123.4 MB/s  50 in flight  p50 12.0 ms  p99 99.0 ms  1,234 errors  1 min 53 s left")]
    [InlineData(116, "12,345/1,000,000  8,765 requests/s  123.4 MB/s  50 in flight  p99 99.0 ms  1,234 errors  1 min 53 s left")]
    [InlineData(80, "12,345/1,000,000  8,765 requests/s  p99 99.0 ms  1,234 errors  1 min 53 s left")]
    [InlineData(79, "12,345/1,000,000  8,765 requests/s  p99 99.0 ms  1,234 errors  1 min 53 s left")]
    [InlineData(66, "12,345/1,000,000  8,765 requests/s  1,234 errors  1 min 53 s left")]
    [InlineData(47, "12,345/1,000,000  1,234 errors  1 min 53 s left")]
    [InlineData(46, "12,345/1,000,000  1,234 errors")]
    [InlineData(20, "12,345/1,000,000")]
    [InlineData(10, "12,345/1,0")]
    public void On_a_narrow_terminal_the_least_important_fields_are_left_out(int width, string line) => Assert.Equal(line, Long.Line(width));

    [Fact]
    public void At_no_width_the_line_is_wrapped() =>
        Assert.All(Enumerable.Range(0, 200), static width => Assert.InRange(Long.Line(width).Length, Math.Min(width, 10), width));

    [Fact]
    public void A_list_without_known_length_has_no_time_left() =>
        Assert.Equal("0 done  0 requests/s  0.0 MB/s  0 in flight  0 errors", new FetchCounters(_time).Read(null, 0).Line(80));

    [Fact]
    public void The_rate_is_that_of_the_last_seconds()
    {
        var counters = new FetchCounters(_time);
        for (var second = 0; second < 20; second++)
        {
            for (var i = 0; i < (second < 10 ? 1000 : 10); i++)
            {
                counters.Add(Outcome(i, 200, 1, 0));
            }

            _time.Advance(TimeSpan.FromSeconds(1));
            counters.Read(null, 0);
        }

        Assert.Equal(10, counters.Read(null, 0).Rate, 0.001);
    }

    [Fact]
    public void What_an_earlier_run_has_done_counts_as_done_and_not_for_the_rate()
    {
        var counters = new FetchCounters(_time);
        for (var i = 0; i < 900; i++)
        {
            counters.Skip();
        }

        counters.Add(Outcome(900, 200, 1, 0));
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.StartsWith("901/1,000  1 requests/s", counters.Read(1000, 0).Line(80), StringComparison.Ordinal);
        Assert.Contains("1 fetched, 0 failed, 900 done before; 0.0 MB in 1.0 s", counters.Summarize().ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(0.264, "0.26 ms")]
    [InlineData(12.34, "12.3 ms")]
    [InlineData(123.4, "123 ms")]
    [InlineData(2345, "2.35 s")]
    public void Times_have_three_digits(double milliseconds, string text) => Assert.Equal(text, Terminal.Durations.Milliseconds(milliseconds));

    [Theory]
    [InlineData(15.2, "16 s")]
    [InlineData(125, "2 min 5 s")]
    [InlineData(12_000, "3 h 20 min")]
    public void Waiting_is_in_whole_seconds(double seconds, string text) => Assert.Equal(text, Terminal.Durations.Waiting(TimeSpan.FromSeconds(seconds)));

    private static FetchOutcome Outcome(long index, int status, double milliseconds, long bytes) =>
        new(index, "http://host/") { Status = status, Bytes = bytes, Timing = new FanOutTiming(TimeSpan.Zero, TimeSpan.Zero, TimeSpan.FromMilliseconds(milliseconds)) };
}
