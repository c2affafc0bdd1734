using Weir.Jobs.Retention;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Retention;

/// <summary>Which jobs that have ended are deleted.</summary>
public sealed class PurgePlanTests
{
    private static readonly DateTimeOffset Now = new(2026, 11, 28, 12, 0, 0, TimeSpan.Zero);

    [Theory]
    [InlineData(JobState.Succeeded, false, 24, true)]
    [InlineData(JobState.Cancelled, false, 23.9, false)]
    [InlineData(JobState.Expired, false, 24, true)]
    [InlineData(JobState.Failed, false, (24 * 14) - 0.1, false)]
    [InlineData(JobState.Failed, false, 24 * 14, true)]
    public void A_job_is_old_when_the_time_of_its_state_is_over(JobState state, bool holdsKey, double hours, bool isOld) =>
        Assert.Equal(isOld, PurgePlan.IsOld(Job(state, holdsKey, hours), new WeirJobsOptions(), Now));

    [Theory]
    [InlineData(true, 0.9, false)]
    [InlineData(true, 1, true)]
    [InlineData(false, 0, true)]
    public void A_key_is_kept_an_hour_at_least(bool holdsKey, double hours, bool isOld) =>
        Assert.Equal(isOld, PurgePlan.IsOld(Job(JobState.Succeeded, holdsKey, hours), new WeirJobsOptions { Retention = TimeSpan.Zero }, Now));

    [Fact]
    public void Without_a_limit_no_job_is_old_or_too_many()
    {
        var options = new WeirJobsOptions { Retention = null, FailedRetention = null, MaxKept = null, MaxKeptFailed = null, MaxKeptBytes = null };
        Assert.False(PurgePlan.IsOld(Job(JobState.Succeeded, false, 1_000_000), options, Now));
        Assert.False(PurgePlan.IsOld(Job(JobState.Failed, false, 1_000_000), options, Now));
        Assert.True(new PurgePlan(options, long.MaxValue, long.MaxValue, long.MaxValue).IsDone);
    }

    [Fact]
    public void As_many_as_are_too_many_are_deleted_of_failed_ones_and_others_apart()
    {
        var plan = new PurgePlan(new WeirJobsOptions { MaxKept = 8, MaxKeptFailed = 1 }, kept: 10, failed: 2, size: null);
        var states = new[] { JobState.Failed, JobState.Succeeded, JobState.Failed, JobState.Cancelled, JobState.Expired };
        Assert.Equal([true, true, false, true, false], states.Select(state => plan.Deletes(Job(state, holdsKey: true, hours: 0))));
        Assert.Equal((true, 3), (plan.IsDone, plan.Deleted));
    }

    [Theory]
    [InlineData(1_000, 0)]
    [InlineData(1_001, 1)]
    [InlineData(2_000, 50)]
    [InlineData(4_000, 75)]
    public void A_store_that_takes_too_much_loses_the_part_that_is_too_much_and_no_job_that_failed(long size, int deleted)
    {
        var plan = new PurgePlan(new WeirJobsOptions { MaxKeptBytes = 1_000 }, kept: 100, failed: 100, size);
        for (var job = 0; job < 100; job++)
        {
            Assert.False(plan.Deletes(Job(JobState.Failed, false, 0)));
            plan.Deletes(Job(JobState.Succeeded, false, 0));
        }

        Assert.Equal(deleted, plan.Deleted);
    }

    private static EndedJob Job(JobState state, bool holdsKey, double hours) => new(Guid.Empty, state, Now.AddHours(-hours), holdsKey);
}
