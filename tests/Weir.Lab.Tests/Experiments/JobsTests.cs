using Weir.Lab.Engine;
using Weir.Lab.Experiments;

namespace Weir.Lab.Tests.Experiments;

public sealed class JobsTests
{
    [Theory]
    [InlineData(3_000, 45_000, true)]
    [InlineData(3_000, 44_000, false)]
    public void Many_in_flight_are_compared_with_the_jobs_of_one_in_flight(double alone, double jobs, bool holds)
    {
        const string @case = "256 in flight";
        var measured = new Measured(
            [
                Row.Fixed(JobContenders.Sqlite, @case, "jobs/s", jobs, "1/s"),
                Row.Fixed(JobContenders.OneCommit, @case, "jobs/s", alone, "1/s"),
                Row.Fixed(JobContenders.OneCommit, @case, "commits/s", 2 * alone, "1/s"),
            ],
            []);
        Assert.Equal(holds, new JobsThroughput().Promises(measured, Scale.Full).Single(promise => promise.Readings.IsMeasured).Holds);
    }

    [Fact]
    public void A_sync_that_takes_long_is_no_reason_for_a_job_to_begin_late()
    {
        Assert.True(PromiseOf(-1.5).Holds);
        Assert.False(PromiseOf(2.1).Holds);

        static Promise PromiseOf(double value) => Assert.Single(new JobsLatency().Promises(
            new Measured([Row.Fixed(JobContenders.Sqlite, "an idle system", "p50 less 4 syncs", value, "ms")], []), Scale.Full));
    }

    [Fact]
    public void Quick_and_full_runs_measure_the_best_settings_of_Hangfire_beside_Weir()
    {
        foreach (var scale in new[] { Scale.Quick, Scale.Full })
        {
            var decisive = new JobsThroughput().Cases(scale).Single(one => one.Name == "256 in flight" && one.Contenders.Any(contender => contender.Name == JobContenders.Sqlite));
            Assert.Contains(decisive.Contenders, contender => contender.Name == JobContenders.HangfireSqlite);
            Assert.Contains(decisive.Contenders, contender => contender.Name == JobContenders.OneCommit);
            Assert.True(decisive.Rounds >= QuickCases.PromisedRounds);
        }
    }
}
