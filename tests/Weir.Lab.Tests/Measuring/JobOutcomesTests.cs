using Weir.Lab.Contenders.Work;
using Weir.Lab.Measuring;

namespace Weir.Lab.Tests.Measuring;

public sealed class JobOutcomesTests
{
    // By their numbers: declared repeatable, and not.
    private const long Repeatable = 0;
    private const long Plain = 9;

    [Fact]
    public void The_numbers_of_these_tests_are_of_both_sorts()
    {
        Assert.True(ChaosJobs.IsRepeatable(Repeatable));
        Assert.False(ChaosJobs.IsRepeatable(Plain));
    }

    [Fact]
    public void A_job_that_was_accepted_and_ran_to_its_end_succeeded()
    {
        var found = Outcomes(["accepted 9 x", "ended 9 Succeeded 30"], ["b plain 9 10", "e plain 9 20"], ["x Succeeded"]);
        Assert.Equal((1, 1, 0, 0, 0, 0), (found.Accepted, found.Ok, found.Lost, found.Doubled, found.Hung, found.StartedAgain));
    }

    [Fact]
    public void A_job_that_the_store_does_not_have_is_lost() => Assert.Equal(1, Outcomes(["accepted 9 x"], [], []).Lost);

    [Fact]
    public void A_job_that_succeeded_without_running_to_its_end_is_lost() => Assert.Equal(1, Outcomes(["accepted 9 x"], ["b plain 9 10"], ["x Succeeded"]).Lost);

    [Theory]
    [InlineData("Ready")]
    [InlineData("Running")]
    [InlineData("Scheduled")]
    [InlineData("Processing")]
    public void A_job_that_has_not_ended_hangs(string state)
    {
        var found = Outcomes(["accepted 9 x"], [], [$"x {state}"]);
        Assert.Equal((1, 0), (found.Hung, found.Lost));
    }

    [Theory]
    [InlineData(Repeatable, 0)]
    [InlineData(Plain, 1)]
    public void Only_a_job_that_may_be_repeated_may_start_twice(long number, int doubled)
    {
        var found = Outcomes([$"accepted {number} x"], [$"b any {number} 10", $"b any {number} 20", $"e any {number} 30"], ["x Succeeded"]);
        Assert.Equal((doubled, 1), (found.Doubled, found.StartedAgain));
    }

    [Theory]
    [InlineData("accepted 0 x|accepted 0 y", "x Succeeded|y Succeeded")]
    [InlineData("accepted 0 x", "x Succeeded|y Succeeded")]
    [InlineData("accepted 0 x", "x Succeeded|x Succeeded")]
    [InlineData("accepted 0 x|ended 0 Failed(Crashed) 30", "x Succeeded")]
    [InlineData("accepted 0 x|ended 0 Succeeded 5", "x Succeeded")]
    public void Two_jobs_for_one_submission_two_ends_and_a_start_after_the_end_are_doubled(string submitters, string final) =>
        Assert.Equal(1, Outcomes(submitters.Split('|'), ["b repeatable 0 10", "e repeatable 0 20"], final.Split('|')).Doubled);

    [Fact]
    public void Failures_are_counted_by_their_reason()
    {
        var found = Outcomes(
            ["accepted 0 a", "accepted 1 b", "accepted 3 c", "accepted 4 d"], [], ["a Failed(Crashed)", "b Failed(Lost)", "c Failed(Quarantined)", "d Failed(Exception)"]);
        Assert.Equal((1, 1, 2, 0), (found.FailedCrashed, found.FailedLost, found.FailedOtherwise, found.Ok));
    }

    [Theory]
    [InlineData("")]
    [InlineData("b")]
    [InlineData("b plain 9")]
    [InlineData("x plain 9 10")]
    [InlineData("b plain 9 1x")]
    public void A_line_that_a_kill_cut_off_is_no_mark(string line) => Assert.Null(JobMark.Parse(line));

    private static JobOutcomes Outcomes(string[] submitters, string[] marks, string[] final) =>
        new(submitters.Select(static line => line.Split(' ')), marks.Select(static line => JobMark.Parse(line)!.Value), final);
}
