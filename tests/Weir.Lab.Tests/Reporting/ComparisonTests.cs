using Weir.Lab.Commands;
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
    public void A_difference_counts_alike_both_ways()
    {
        // 100 to 93.2 is 6.8 % less, and back it is 7.3 % more.
        Assert.Single(new Comparison(Some.Report(rate: 100), Some.Report(rate: 93.2)).Changes);
        Assert.Single(new Comparison(Some.Report(rate: 93.2), Some.Report(rate: 100)).Changes);
    }

    [Fact]
    public void From_nothing_to_something_is_a_difference()
    {
        Assert.Single(new Comparison(Some.Report(rate: 0), Some.Report(rate: 1)).Changes);
        Assert.Empty(new Comparison(Some.Report(rate: 0), Some.Report(rate: 0)).Changes);
    }

    [Fact]
    public void A_promise_that_holds_no_more_is_broken()
    {
        Assert.Equal("twice as fast", Assert.Single(new Comparison(Some.Report(), Some.Report(ratio: 1.5)).Broken).Text);
        Assert.Empty(new Comparison(Some.Report(ratio: 1.5), Some.Report()).Broken);
    }

    [Theory]
    [InlineData(new[] { 3.0, 3.1, 3.2 }, new[] { 4.0, 4.1, 4.2 }, true)]
    [InlineData(new[] { 4.0, 4.1, 4.2 }, new[] { 3.0, 3.1, 3.2 }, true)]
    [InlineData(new[] { 3.0, 3.1, 4.0 }, new[] { 4.0, 4.1, 4.2 }, false)] // one round reaches into the other run's
    [InlineData(new[] { 3.0, 3.1, 3.2 }, new[] { 3.21, 3.25, 3.3 }, false)] // apart, but by less than the machine can tell
    [InlineData(new[] { 2.0, 3.1, 3.9 }, new[] { 4.0, 4.1, 4.2 }, false)] // apart, but by less than the coarser of the two can tell
    [InlineData(new[] { 0.0, 0.0, 0.0 }, new[] { 0.1, 0.1, 0.1 }, true)]
    public void Runs_disagree_about_a_ratio_whose_rounds_do_not_meet_and_whose_values_are_farther_apart_than_either_can_tell(
        double[] before, double[] after, bool disagree) =>
        Assert.Equal(disagree, new Comparison(Some.ReportOf(before), Some.ReportOf(after)).Disagreeing.Any());

    [Fact]
    public void A_coarse_machine_is_no_reason_to_disagree() =>
        Assert.Empty(new Comparison(Some.ReportOf([3, 3, 3]), Some.ReportOf([4, 4, 4], resolution: 0.4)).Disagreeing);

    [Fact]
    public void A_run_written_before_ratios_had_a_range_is_compared_by_its_resolution()
    {
        Assert.Single(new Comparison(Old(3), Old(4)).Disagreeing);
        Assert.Empty(new Comparison(Old(3), Old(3.1)).Disagreeing);

        static RunReport Old(double ratio) => Some.Report() with
        {
            Experiments = [Some.Report().Experiments[0] with { Promises = [new PromiseReport("twice as fast", ratio, 2, ">=", true, "ratio", false)] }],
        };
    }

    [Fact]
    public void The_exit_code_tells_agreement_disagreement_and_what_broke()
    {
        Assert.Equal(0, CompareCommand.ExitCode(new Comparison(Some.Report(), Some.Report())));
        Assert.Equal(2, CompareCommand.ExitCode(new Comparison(Some.Report(ratio: 3), Some.Report(ratio: 4))));
        Assert.Equal(2, CompareCommand.ExitCode(new Comparison(Some.Report(ratio: 3), Some.Report(ratio: 1))));
        Assert.Equal(3, CompareCommand.ExitCode(new Comparison(Some.Report(ratio: 2), Some.Report(ratio: 1.95))));
        Assert.Equal(3, CompareCommand.ExitCode(new Comparison(Some.Report(), Some.ReportOf([]))));
    }

    [Fact]
    public void Its_last_line_counts_ratios()
    {
        Assert.Equal("1 ratios carry a promise, 0 disagree; 1 were measured in both runs, 0 in one only, 0 in neither", Lines(Some.Report(), Some.Report())[^1]);
        Assert.Equal("1 ratios carry a promise, 1 disagree; 1 were measured in both runs, 0 in one only, 0 in neither", Lines(Some.Report(ratio: 3), Some.Report(ratio: 4))[^1]);
        Assert.Equal("1 ratios carry a promise, 0 disagree; 0 were measured in both runs, 1 in one only, 0 in neither", Lines(Some.Report(), Some.ReportOf([]))[^1]);
        Assert.Equal("1 ratios carry a promise, 0 disagree; 0 were measured in both runs, 0 in one only, 1 in neither", Lines(Some.ReportOf([]), Some.ReportOf([]))[^1]);
    }

    [Fact]
    public void A_ratio_that_was_measured_once_is_told()
    {
        Assert.Contains("measured only in A: pool-chaos: twice as fast: 2 ± 7.0 % in A, not measured in B, >= 2", Lines(Some.Report(), Some.ReportOf([])));
        Assert.Contains("measured only in B: pool-chaos: twice as fast: not there in A, 2 ± 7.0 % in B, >= 2", Lines(Without(Some.Report()), Some.Report()));

        static RunReport Without(RunReport report) => report with { Experiments = [report.Experiments[0] with { Promises = [] }] };
    }

    [Fact]
    public void Disagreement_and_what_broke_are_told_with_both_figures()
    {
        var lines = Lines(Some.ReportOf([3, 3.1, 3.2]), Some.ReportOf([1.4, 1.5, 1.6]));
        Assert.Contains("the runs disagree: pool-chaos: twice as fast: 3.10 (3–3.20) ± 21.4 % in A, 1.50 (1.40–1.60) ± 49.3 % in B, >= 2", lines);
        Assert.Contains("holds no more: pool-chaos: twice as fast: 3.10 (3–3.20) ± 21.4 % in A, 1.50 (1.40–1.60) ± 49.3 % in B, >= 2, ≈ too close to the limit to tell", lines);
        Assert.Contains(Lines(Some.Report(), Some.Report(ratio: 1.99)), line => line.EndsWith(">= 2, ≈ too close to the limit to tell", StringComparison.Ordinal));
    }

    [Fact]
    public void An_experiment_of_one_run_only_is_named_once()
    {
        var lines = Lines(Some.Report() with { Experiments = [] }, Some.Report());
        Assert.Contains("only in B: pool-chaos", lines);
        Assert.DoesNotContain(lines, line => line.StartsWith("measured only", StringComparison.Ordinal));
    }

    private static string[] Lines(RunReport before, RunReport after) => [.. ComparisonText.Lines(new Comparison(before, after))];
}
