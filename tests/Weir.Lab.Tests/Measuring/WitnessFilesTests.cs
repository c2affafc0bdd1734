using Weir.Lab.Measuring;

namespace Weir.Lab.Tests.Measuring;

public sealed class WitnessFilesTests
{
    [Fact]
    public void A_call_that_ran_to_its_end_and_was_answered_succeeded()
    {
        var found = new WitnessFiles(["made 0", "ok 0"], ["b 0", "e 0"]);
        Assert.Equal((1, 1, 0, 0), (found.Made, found.Succeeded, found.Unended, found.NeverDone));
    }

    [Fact]
    public void A_call_that_is_said_to_be_done_and_is_not_was_never_done() =>
        Assert.Equal(1, new WitnessFiles(["made 0", "ok 0"], ["b 0"]).NeverDone);

    [Fact]
    public void A_call_without_an_ending_counts_whether_or_not_it_ran() =>
        Assert.Equal(2, new WitnessFiles(["made 0", "made 1"], ["b 0", "e 0"]).Unended);

    [Fact]
    public void A_failure_tells_whether_a_worker_had_begun()
    {
        var found = new WitnessFiles(["made 0", "failed 0", "made 1", "failed 1"], ["b 0"]);
        Assert.Equal((1, 1), (found.FailedRunning, found.FailedWaiting));
    }

    [Theory]
    [InlineData("made 0|ok 0", "b 0|b 0|e 0")]
    [InlineData("made 0|failed 0|ok 0", "b 0|e 0")]
    public void Running_twice_and_ending_twice_are_both_doubled(string host, string workers) =>
        Assert.Equal(1, new WitnessFiles(host.Split('|'), workers.Split('|')).Doubled);

    [Fact]
    public void A_call_that_its_caller_gave_up_hangs()
    {
        var found = new WitnessFiles(["made 0", "hung 0"], ["b 0"]);
        Assert.Equal((1, 0), (found.Hung, found.Unended));
    }

    [Theory]
    [InlineData("made 0|failed 0 17|made 1|failed 1 18|made 2|ok 2", 0)]
    [InlineData("made 0|failed 0 17|made 1|failed 1 17|made 2|failed 2 17", 2)]
    [InlineData("made 0|failed 0 17|made 1|failed 1", 1)]
    [InlineData("made 0|failed 0 17|made 1|failed 1 99", 1)]
    [InlineData("made 0|failed 0 0", 1)]
    public void A_killed_worker_explains_one_failure_that_names_it(string host, int beyond) =>
        Assert.Equal(beyond, new WitnessFiles(host.Split('|'), ["b 2", "e 2"]).FailedBeyondOneOf(new HashSet<int> { 17, 18, 19 }));

    [Fact]
    public void A_failure_that_names_no_worker_is_counted_apart() =>
        Assert.Equal(2, new WitnessFiles(["made 0", "failed 0", "made 1", "failed 1 0", "made 2", "failed 2 17"], []).FailedUnnamed);

    [Fact]
    public void A_line_that_a_kill_cut_off_is_no_line() =>
        Assert.Equal(1, new WitnessFiles(["made 0", "ok 0", "mad"], ["b 0", "e 0", "b"]).Made);
}
