using Weir.Lab.Reporting;

namespace Weir.Lab.Tests.Reporting;

public sealed class ComparisonTests
{
    [Fact]
    public void Differences_below_the_resolution_are_none() =>
        Assert.Empty(new Comparison(Some.Report(rate: 100), Some.Report(rate: 106)).Changes);

    [Fact]
    public void The_coarser_of_two_runs_decides_what_counts() =>
        Assert.Empty(new Comparison(Some.Report(rate: 100), Some.Report(rate: 120, resolution: 0.3)).Changes);

    [Fact]
    public void A_difference_that_counts_is_shown_and_the_documents_figure_never()
    {
        var change = Assert.Single(new Comparison(Some.Report(rate: 100), Some.Report(rate: 120)).Changes);
        Assert.Equal(("weir", 1.2), (change.After.Contender, Math.Round(change.Factor, 3)));
    }

    [Fact]
    public void A_promise_that_holds_no_more_is_broken()
    {
        Assert.Equal("twice as fast", Assert.Single(new Comparison(Some.Report(), Some.Report(ratio: 1.5)).Broken).Before.Text);
        Assert.Empty(new Comparison(Some.Report(ratio: 1.5), Some.Report()).Broken);
    }

    [Fact]
    public void Runs_that_do_not_agree_about_a_promised_ratio_are_told()
    {
        Assert.Single(new Comparison(Some.Report(ratio: 3), Some.Report(ratio: 4)).Disagreeing);
        Assert.Empty(new Comparison(Some.Report(ratio: 3), Some.Report(ratio: 3.1)).Disagreeing);
    }
}
