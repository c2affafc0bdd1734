using Weir.Lab.Engine;
using Weir.Lab.Experiments;

namespace Weir.Lab.Tests.Experiments;

public sealed class QuickCasesTests
{
    private static readonly Row Given = Row.Fixed("document", "case", "rate", 1, "1/s");

    [Fact]
    public void In_a_quick_run_those_that_decide_have_their_rounds_beside_each_other()
    {
        var decisive = NewCase().Deciding(Scale.Quick, "weir", "peer").Last();
        Assert.Equal(["weir", "peer"], decisive.Contenders.Select(contender => contender.Name));
        Assert.Equal(QuickCases.PromisedRounds, decisive.Rounds);
        Assert.True(decisive.WarmFor > TimeSpan.Zero);
    }

    [Fact]
    public void Every_contender_runs_once_and_every_given_figure_stands_once()
    {
        Case[] parts = [.. NewCase().Deciding(Scale.Quick, "weir", "peer")];
        Assert.Equal(["floor", "foreign", "peer", "weir"], parts.SelectMany(part => part.Contenders).Select(contender => contender.Name).Order());
        Assert.Equal([Given], parts.SelectMany(part => part.Given));
        Assert.All(parts, part => Assert.Equal("case", part.Name));
    }

    [Fact]
    public void A_full_run_measures_every_contender_alike()
    {
        var whole = Assert.Single(NewCase().Deciding(Scale.Full, "weir", "peer"));
        Assert.Equal((4, 5), (whole.Contenders.Count, whole.Rounds));
    }

    [Fact]
    public void What_takes_long_is_measured_once_in_a_full_run_where_nothing_is_promised()
    {
        Case[] parts = [.. NewCase().DecidingAtLength(Scale.Full, "weir", "peer")];
        Assert.Equal([("foreign, floor", 1), ("weir, peer", 5)], parts.Select(part => (string.Join(", ", part.Contenders.Select(contender => contender.Name)), part.Rounds)));
        Assert.Equal([Given], parts.SelectMany(part => part.Given));
    }

    [Fact]
    public void A_quick_run_of_all_experiments_is_forecast_within_twelve_minutes() =>
        Assert.InRange(AllExperiments.List.Sum(static experiment => experiment.Estimate(Scale.Quick).TotalMinutes), 1, 12);

    private static Case NewCase() => new("case", [New("foreign"), New("floor"), New("weir"), New("peer")]) { Rounds = 5, Given = [Given] };

    private static AbsentContender New(string name) => new(name, Availability.Present);
}
