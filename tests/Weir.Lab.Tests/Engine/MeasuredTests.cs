using Weir.Lab.Engine;

namespace Weir.Lab.Tests.Engine;

public sealed class MeasuredTests
{
    private static readonly Case[] Cases =
    [
        new("one", [new RecordingContender("weir", []), new RecordingContender("other", [])]) { Rounds = 2 },
        new("two", [new RecordingContender("weir", [])]) { Rounds = 2 },
    ];

    [Fact]
    public void Cases_are_named_also_when_nothing_came_of_them() => Assert.Equal(["one", "two"], new Measured([], Cases).CasesOf("weir"));

    [Fact]
    public void A_metric_of_every_case_is_decided_by_the_worst_round_of_all() =>
        Assert.Equal(9, new Measured([Row("one", 1, 9), Row("two", 2, 3)], Cases).Everywhere("weir", "threads").Worst(Relation.AtMost, 10));

    [Fact]
    public void A_metric_that_one_case_does_not_have_was_not_measured_everywhere()
    {
        Assert.False(new Measured([Row("one", 1, 9)], Cases).Everywhere("weir", "threads").IsMeasured);
        Assert.False(new Measured([Row("one", 1, 9), Row("two", 2, null)], Cases).Everywhere("weir", "threads").IsMeasured);
        Assert.False(new Measured([], []).Everywhere("weir", "threads").IsMeasured);
    }

    [Fact]
    public void What_was_not_measured_is_no_series() => Assert.False(new Measured([Row("one", 1, 2)], Cases)["weir", "one", "p50"].IsMeasured);

    private static Row Row(string @case, params double?[] rounds) => new("weir", @case, "threads", 0, 0, 0, "") { Rounds = rounds };
}
