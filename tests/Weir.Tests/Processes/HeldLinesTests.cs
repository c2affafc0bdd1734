using Microsoft.Extensions.Logging;
using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Workers;

namespace Weir.Tests.Processes;

/// <summary>Lines of standard error are logged once: as lines, or in the crash report of their worker.</summary>
public sealed class HeldLinesTests
{
    private readonly ManualTime _time = new();
    private readonly List<string> _logged = [];
    private readonly HeldLines _lines;

    public HeldLinesTests() => _lines = new HeldLines(item => _logged.Add(item.ToString()), _time);

    [Fact]
    public void A_worker_that_prints_nothing_has_no_timer_and_neither_has_one_whose_lines_are_logged()
    {
        Assert.Equal(0, _time.ActiveTimers);
        Print("a");
        Assert.Equal(1, _time.ActiveTimers);
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(0, _time.ActiveTimers);
        Assert.Equal(["a (worker 7)"], _logged);
    }

    [Fact]
    public void Each_line_is_logged_a_second_after_it_was_printed()
    {
        Print("a");
        _time.Advance(TimeSpan.FromMilliseconds(600));
        Print("b");
        _time.Advance(TimeSpan.FromMilliseconds(399));
        Assert.Empty(_logged);
        _time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.Equal(["a (worker 7)"], _logged);
        _time.Advance(TimeSpan.FromMilliseconds(600));
        Assert.Equal(["a (worker 7)", "b (worker 7)"], _logged);
    }

    [Fact]
    public void What_was_printed_just_before_the_end_is_dropped_where_the_report_has_it()
    {
        Print("earlier");
        _time.Advance(TimeSpan.FromSeconds(2));
        Print("Process terminated.");
        Print("   at Some.Place()");
        _lines.Drop();
        _lines.End();
        Assert.Equal(["earlier (worker 7)"], _logged);

        // A descendant may still print.
        Print("later");
        Assert.Equal(["earlier (worker 7)", "later (worker 7)"], _logged);
        Assert.Equal(0, _time.ActiveTimers);
    }

    [Fact]
    public void The_end_of_a_worker_that_left_in_order_logs_what_is_held()
    {
        Print("a");
        Print("b");
        _lines.End();
        Assert.Equal(["a (worker 7)", "b (worker 7)"], _logged);
    }

    [Fact]
    public void A_flood_holds_no_more_than_the_report_keeps()
    {
        for (var i = 0; i < 1000; i++)
        {
            _lines.Add(Item($"{i}"), 1024);
        }

        Assert.Equal(1000 - 64, _logged.Count);
        Assert.Equal("0 (worker 7)", _logged[0]);
    }

    private void Print(string text) => _lines.Add(Item(text), 64);

    private static LogItem Item(string text) => new(LogLevel.Information, default, null, text, 7, default);
}
