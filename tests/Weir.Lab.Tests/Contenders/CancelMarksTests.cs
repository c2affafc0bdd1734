using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Tests.Contenders;

public sealed class CancelMarksTests
{
    private static readonly Dictionary<long, long> Seen = new() { [1] = 100, [2] = 100 };

    [Fact]
    public void Code_that_ended_before_its_end_was_seen_is_in_order()
    {
        JobMark[] marks = [Begins(1, 10), Ends(1, 100), Begins(2, 20), Ends(2, 30)];
        Assert.Equal(0, CancelMarks.Running(marks, Seen));
    }

    [Fact]
    public void A_job_that_never_began_is_in_order() => Assert.Equal(0, CancelMarks.Running([Begins(1, 10), Ends(1, 20)], Seen));

    [Fact]
    public void Code_that_ends_or_begins_later_is_counted_once_for_each_job()
    {
        Assert.Equal(1, CancelMarks.Running([Begins(1, 10), Ends(1, 101)], Seen));
        Assert.Equal(2, CancelMarks.Running([Begins(1, 101), Ends(1, 102), Begins(2, 50), Ends(2, 101)], Seen));
    }

    [Fact]
    public void Code_that_has_not_ended_is_counted() => Assert.Equal(1, CancelMarks.Running([Begins(1, 10)], Seen));

    private static JobMark Begins(long number, long stamp) => new(true, CancelMarks.Host, number, stamp);

    private static JobMark Ends(long number, long stamp) => new(false, CancelMarks.Host, number, stamp);
}
