using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Tests.Contenders;

public sealed class FairRoundsTests
{
    [Fact]
    public void A_slot_that_is_freed_and_taken_at_one_tick_is_one_slot()
    {
        JobMark[] marks = [new(true, "A", 0, 10), new(false, "A", 0, 20), new(true, "A", 1, 20), new(false, "A", 1, 30)];
        Assert.Equal(1, FairRounds.MostAtOnce(marks));
    }

    [Fact]
    public void Jobs_that_overlap_have_a_slot_each()
    {
        JobMark[] marks = [new(true, "A", 0, 10), new(true, "A", 1, 15), new(false, "A", 0, 20), new(true, "A", 2, 25), new(false, "A", 1, 30), new(false, "A", 2, 35)];
        Assert.Equal(2, FairRounds.MostAtOnce(marks));
    }

    [Fact]
    public void Only_what_starts_after_the_acceptance_and_before_the_start_is_counted() => Assert.Equal(2, FairRounds.Between([10, 11, 12, 13, 14], 11, 14));
}
