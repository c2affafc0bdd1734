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

        static Promise PromiseOf(double value) => new JobsLatency().Promises(
            new Measured([Row.Fixed(JobContenders.Sqlite, "an idle system", "p50 less 4 syncs", value, "ms")], []), Scale.Full).Single(static promise => promise.Readings.IsMeasured);
    }

    [Theory]
    [InlineData(1_000, 950, true)]
    [InlineData(1_000, 940, false)]
    public void Limits_cost_at_most_a_twentieth_of_the_jobs(double without, double with, bool holds)
    {
        const string @case = "256 in flight";
        var measured = new Measured([Row.Fixed(JobContenders.WithoutLimits, @case, "jobs/s", without, "1/s"), Row.Fixed(JobContenders.Limits, @case, "jobs/s", with, "1/s")], []);
        Assert.Equal(holds, new JobsThroughput().Promises(measured, Scale.Full).Single(static promise => promise.Readings.IsMeasured).Holds);
    }

    [Theory]
    [InlineData(2, true)]
    [InlineData(2.1, false)]
    public void A_job_of_another_tenant_waits_for_two_rounds_at_most(double rounds, bool holds)
    {
        var measured = new Measured([Row.Fixed(JobContenders.Sqlite, "one tenant behind another", "rounds of slots", rounds, "")], []);
        Assert.Equal(holds, new JobsFair().Promises(measured, Scale.Full).Single(static promise => promise.Readings.IsMeasured).Holds);
    }

    [Fact]
    public void What_kills_do_to_jobs_is_measured_of_Hangfire_too_and_promised_of_Weir()
    {
        foreach (var scale in Enum.GetValues<Scale>())
        {
            Case[] cases = [.. new JobsChaos().Cases(scale)];
            var only = cases[0];
            Assert.Equal([JobContenders.Sqlite, JobContenders.HangfireSqlite], only.Contenders.Select(static contender => contender.Name));
            string[] broken = ["lost", "doubled", "hung"];
            foreach (var metric in broken)
            {
                var promise = new JobsChaos().Promises(new Measured([Row.Fixed(JobContenders.Sqlite, only.Name, metric, 1, "")], cases), scale).Single(static promise => promise.Readings.IsMeasured);
                Assert.False(promise.Holds, metric);
            }
        }
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

    [Theory]
    [InlineData("graphile-worker", 1_000, 1_000, true)]
    [InlineData("graphile-worker", 1_000, 990, false)]
    [InlineData("pg-boss", 1_000, 3_000, true)]
    [InlineData("pg-boss", 1_000, 2_990, false)]
    [InlineData("Hangfire PostgreSQL", 1_000, 5_000, true)]
    [InlineData("Hangfire PostgreSQL", 1_000, 4_990, false)]
    public void On_PostgreSQL_Weir_is_compared_with_each_peer_by_its_own_ratio(string peer, double others, double jobs, bool holds)
    {
        const string @case = "PostgreSQL, 256 in flight";
        var measured = new Measured([Row.Fixed(PostgreSqlContenders.PostgreSql, @case, "jobs/s", jobs, "1/s"), Row.Fixed(peer, @case, "jobs/s", others, "1/s")], []);
        Assert.Equal(holds, new JobsThroughput().Promises(measured, Scale.Full).Single(static promise => promise.Readings.IsMeasured).Holds);
    }

    [Fact]
    public void A_quick_run_promises_nothing_of_PostgreSQL_but_under_pressure()
    {
        foreach (var experiment in AllExperiments.List.Where(static experiment => experiment is not JobsPressure))
        {
            Case[] cases = [.. experiment.Cases(Scale.Quick)];
            Assert.DoesNotContain(cases.SelectMany(static one => one.Contenders), static contender => contender.Name.Contains("PostgreSQL", StringComparison.Ordinal));
            Assert.DoesNotContain(experiment.Promises(new Measured([], cases), Scale.Quick), static promise => promise.Text.Contains("PostgreSQL", StringComparison.Ordinal));
        }
    }

    [Theory]
    [InlineData("backlog", 0, 1)]
    [InlineData("failed", 0, 1)]
    [InlineData("jobs", 480_000, 400_000)]
    [InlineData("shutdown", 5_000, 5_001)]
    public void What_is_promised_under_a_held_snapshot_is_decided_by_its_own_figure(string metric, double good, double bad)
    {
        Assert.True(PromiseOf(good).Holds);
        Assert.False(PromiseOf(bad).Holds);

        Promise PromiseOf(double value) => new JobsPressure().Promises(
            new Measured([Row.Fixed(PostgreSqlContenders.PostgreSql, "800 jobs a second, a snapshot held", metric, value, "")], []), Scale.Full).Single(static promise => promise.Readings.IsMeasured);
    }

    [Theory]
    [InlineData(3, true)]
    [InlineData(3.1, false)]
    public void A_claim_under_a_held_snapshot_is_compared_with_one_without(double milliseconds, bool holds)
    {
        const string @case = "800 jobs a second, a snapshot held";
        var measured = new Measured(
            [Row.Fixed(PostgreSqlContenders.PostgreSql, @case, "claim", milliseconds, "ms"), Row.Fixed("weir PostgreSQL, no snapshot held", @case, "claim", 1, "ms")], []);
        Assert.Equal(holds, new JobsPressure().Promises(measured, Scale.Full).Single(static promise => promise.Readings.IsMeasured).Holds);
    }

    [Theory]
    [InlineData("PostgreSQL, a process killed every 5 s, a worker every 50 ms", 100_000)]
    [InlineData("PostgreSQL, a process killed once", 20_000)]
    [InlineData("PostgreSQL, stopped for 3 s", 20_000)]
    [InlineData("PostgreSQL, all sessions ended five times a second", 20_000)]
    [InlineData("PostgreSQL, every connection taken", 20_000)]
    public void Every_fault_of_PostgreSQL_has_its_own_counts(string @case, double jobs)
    {
        Assert.Contains(@case, new JobsChaos().Cases(Scale.Full).Select(static one => one.Name));
        foreach (var (metric, good, bad) in new[] { ("jobs", jobs, jobs - 1), ("lost", 0.0, 1.0), ("doubled", 0, 1), ("hung", 0, 1), ("failed otherwise", 0, 1), ("disturbances", 1, 0), ("processes that ended by themselves", 0, 1), ("slowest shutdown", 5_000, 5_001) })
        {
            Assert.True(PromiseOf(metric, good).Holds, metric);
            Assert.False(PromiseOf(metric, bad).Holds, metric);
        }

        Promise PromiseOf(string metric, double value) => new JobsChaos().Promises(
            new Measured([Row.Fixed(PostgreSqlContenders.PostgreSql, @case, metric, value, "")], []), Scale.Full).Single(static promise => promise.Readings.IsMeasured);
    }

    [Theory]
    [InlineData("weir SQLite, isolated", "items of 20 ms", "p50 less 1 sync", 5, 5.1)]
    [InlineData("weir PostgreSQL, isolated, read in another process", "items of 20 ms, PostgreSQL", "item age p50", 60, 60.1)]
    [InlineData("weir PostgreSQL, isolated, read in another process", "items of 20 ms, PostgreSQL", "gaps", 0, 1)]
    [InlineData("weir PostgreSQL, isolated, read in another process", "items of 20 ms, PostgreSQL", "repeats", 0, 1)]
    [InlineData("weir SQLite, isolated", "items of 20 ms", "items", 500, 499)]
    [InlineData("weir SQLite", "items of 20 ms", "gaps", 0, 1)]
    [InlineData("weir memory", "items of 20 ms", "repeats", 0, 1)]
    [InlineData("weir SQLite", "accepted", "202 beyond direct call and code", 1, 1.1)]
    [InlineData("weir SQLite", "1,000 waiters", "bytes of a waiter", 16_384, 16_385)]
    [InlineData("weir SQLite", "1,000 waiters", "threads beyond", 10, 11)]
    [InlineData("weir SQLite", "1,000 waiters", "answered with the end", 1_000, 999)]
    [InlineData("weir SQLite", "1,000,000 items, cut 1,000 times, and the host is killed", "items", 1_000_000, 999_999)]
    [InlineData("weir SQLite", "1,000,000 items, cut 1,000 times, and the host is killed", "gaps", 0, 1)]
    [InlineData("weir SQLite", "1,000,000 items, cut 1,000 times, and the host is killed", "repeats", 0, 1)]
    [InlineData("weir SQLite", "1,000,000 items, cut 1,000 times, and the host is killed", "kills of the host", 12, 11)]
    [InlineData("weir SQLite", "10,000 cancels", "ended otherwise", 0, 1)]
    [InlineData("weir SQLite", "10,000 cancels", "code running after the end", 0, 1)]
    public void What_is_promised_of_jobs_over_HTTP_is_decided_by_its_own_figure(string contender, string @case, string metric, double good, double bad)
    {
        Assert.True(PromiseOf(good).Holds);
        Assert.False(PromiseOf(bad).Holds);

        Promise PromiseOf(double value) => new JobsItems().Promises(
            new Measured([Row.Fixed(contender, @case, metric, value, "")], []), Scale.Full).Single(static promise => promise.Readings.IsMeasured);
    }
}
