using Weir.Execution.Observation;

namespace Weir.Tests.Observation;

public sealed class HistoryTests
{
    private static readonly HistoryColumn[] Columns = [HistoryColumn.Sum, HistoryColumn.Highest];

    [Fact]
    public void Ten_seconds_have_the_sum_of_counts_and_the_highest_level()
    {
        var history = Open();
        for (var second = 10; second < 20; second++)
        {
            history.Add(second, [2, second == 14 ? 9 : 1], isActive: true);
        }

        history.Add(20, [1, 1], isActive: true);
        Assert.Equal([(10L, 20f, 9f), (20, 1, 1)], history.ReadTens(20).Select(static point => (point.Second, point.Values[0], point.Values[1])));
        Assert.Equal(11, history.ReadSeconds(20).Length);
    }

    [Fact]
    public void A_gap_has_no_points()
    {
        var history = Open();
        history.Add(3, [1, 1], isActive: true);
        history.Add(50, [1, 1], isActive: true);
        history.Add(51, [1, 1], isActive: true);
        Assert.Equal([3L, 50, 51], history.ReadSeconds(60).Select(static point => point.Second));
        Assert.Equal([0L, 50], history.ReadTens(60).Select(static point => point.Second));
    }

    [Fact]
    public void Two_minutes_of_seconds_and_an_hour_of_ten_seconds_are_kept()
    {
        var history = Open();
        for (var second = 0; second < 5000; second++)
        {
            history.Add(second, [1, second], isActive: true);
        }

        Assert.Equal(Enumerable.Range(4880, 120).Select(static second => (long)second), history.ReadSeconds(4999).Select(static point => point.Second));
        var tens = history.ReadTens(4999);
        Assert.Equal(Enumerable.Range(140, 360).Select(static ten => 10L * ten), tens.Select(static point => point.Second));
        Assert.Equal(4999, tens[^1].Values[1]);
    }

    [Fact]
    public void What_is_older_than_the_span_is_not_read_although_nothing_overwrote_it()
    {
        var history = Open();
        history.Add(5, [1, 1], isActive: true);
        Assert.Single(history.ReadSeconds(124));
        Assert.Empty(history.ReadSeconds(125));
        Assert.Single(history.ReadTens(3599));
        Assert.Empty(history.ReadTens(3600));
    }

    [Fact]
    public void A_history_without_memory_keeps_nothing()
    {
        var history = new History(Columns);
        history.Add(1, [1, 1], isActive: true);
        Assert.Equal((false, false, 0), (history.IsKept, history.HasSeconds, history.Bytes));
        Assert.Empty(history.ReadSeconds(1));
        Assert.Empty(history.ReadTens(1));
    }

    [Fact]
    public void A_pool_uses_25_KB()
    {
        var history = new History(new HistoryColumn[12]);
        history.Open();
        Assert.InRange(history.Bytes, 23_000, 25_000);
        Assert.Equal(0, history.BytesToOpen);
    }

    [Fact]
    public void At_the_budget_the_one_that_was_inactive_longest_gives_up_its_seconds_and_then_everything()
    {
        var size = Open().Bytes;
        var budget = new HistoryBudget(2 * size);
        var (old, recent, next, last) = (new History(Columns), new History(Columns), new History(Columns), new History(Columns));
        Add(old, 0);
        Add(recent, 5);
        Assert.Equal(2 * size, budget.Used);

        Add(next, 100);
        Assert.False(old.HasSeconds);
        Assert.True(next.HasSeconds);
        Assert.InRange(budget.Used, 1, 2 * size);

        Add(last, 200);
        Assert.InRange(budget.Used, 1, 2 * size);
        Assert.False(old.IsKept);
        Assert.True(last.HasSeconds);
        Assert.Equal(new[] { old, recent, next, last }.Sum(static one => one.Bytes), budget.Used);

        void Add(History history, long second)
        {
            budget.Open(history, second);
            history.Add(second, [1, 1], isActive: true);
        }
    }

    [Fact]
    public void Those_that_are_active_do_not_take_each_others_memory()
    {
        var size = Open().Bytes;
        var budget = new HistoryBudget(size);
        var (first, second) = (new History(Columns), new History(Columns));
        for (var now = 0; now < 100; now++)
        {
            foreach (var history in new[] { first, second })
            {
                budget.Open(history, now);
                history.Add(now, [1, 1], isActive: true);
            }
        }

        Assert.Equal((true, false), (first.HasSeconds, second.IsKept));
        Assert.Equal(100, first.ReadSeconds(99).Length);
        Assert.Equal(size, budget.Used);
    }

    [Fact]
    public void One_that_was_inactive_and_is_active_again_gets_its_memory_back()
    {
        var budget = new HistoryBudget(Open().Bytes);
        var (first, second) = (new History(Columns), new History(Columns));
        budget.Open(first, 0);
        first.Add(0, [1, 1], isActive: true);
        budget.Open(second, 100);
        second.Add(100, [1, 1], isActive: true);
        Assert.Equal((false, true), (first.IsKept, second.HasSeconds));
        budget.Open(first, 200);
        Assert.Equal((true, false), (first.HasSeconds, second.IsKept));
    }

    private static History Open()
    {
        var history = new History(Columns);
        history.Open();
        return history;
    }
}
