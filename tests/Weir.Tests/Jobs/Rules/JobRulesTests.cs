using Weir.Jobs.Rules;

namespace Weir.Tests.Jobs.Rules;

/// <summary>What several events in a row make of a job, and its pauses.</summary>
public sealed class JobRulesTests
{
    private static readonly DateTimeOffset Start = new(2026, 11, 27, 12, 0, 0, TimeSpan.Zero);
    private static readonly JobTraits Idempotent = new() { IsIdempotent = true, Attempts = 5 };

    private JobStatus _job = JobRules.Accept(Start, Start);
    private DateTimeOffset _now = Start;

    [Theory]
    [InlineData(-1, nameof(JobState.Ready))]
    [InlineData(0, nameof(JobState.Ready))]
    [InlineData(1, nameof(JobState.Scheduled))]
    public void A_job_waits_for_its_time(int seconds, string state) =>
        Assert.Equal(state, JobRules.Accept(Start.AddSeconds(seconds), Start).State.ToString());

    [Fact]
    public void A_scheduled_job_is_ready_at_its_time_and_not_before()
    {
        _job = JobRules.Accept(Start.AddSeconds(10), Start);
        Assert.Equal(JobVerdict.NoChange, Happens(JobEvent.Due).Verdict);
        _now = Start.AddSeconds(10);
        Happens(JobEvent.Due);
        Assert.Equal(JobState.Ready, _job.State);
    }

    [Theory]
    [InlineData(1, 0, 2.5)]
    [InlineData(1, 1, 5)]
    [InlineData(2, 1, 20)]
    [InlineData(3, 1, 80)]
    [InlineData(6, 1, 3600)]
    [InlineData(1000, 1, 3600)]
    public void A_pause_is_four_times_as_long_each_time_and_at_most_an_hour(int failures, double random, double seconds) =>
        Assert.Equal(seconds, JobRules.Backoff(new JobTraits(), failures, random).TotalSeconds);

    [Fact]
    public void An_idempotent_job_that_always_throws_is_tried_five_times()
    {
        for (var attempt = 1; attempt <= 5; attempt++)
        {
            Run(JobEvent.Threw, Idempotent);
            Assert.Equal((attempt < 5 ? JobState.Scheduled : JobState.Failed, attempt), (_job.State, _job.Failures));
        }

        Assert.Equal(JobReason.Exception, _job.Reason);
    }

    [Fact]
    public void A_job_that_kills_its_host_is_started_three_times_if_it_is_idempotent_and_once_otherwise()
    {
        Run(JobEvent.OwnerLost, new JobTraits { Attempts = 5 });
        Assert.Equal((JobState.Failed, JobReason.Lost, 1), (_job.State, _job.Reason, _job.Starts));

        _job = JobRules.Accept(Start, Start);
        Run(JobEvent.OwnerLost, Idempotent);
        Run(JobEvent.OwnerLost, Idempotent);
        Run(JobEvent.OwnerLost, Idempotent);
        Assert.Equal((JobState.Failed, JobReason.Lost, 3), (_job.State, _job.Reason, _job.Starts));
    }

    [Fact]
    public void Crashes_losses_and_exceptions_are_counted_apart()
    {
        Run(JobEvent.Crashed, Idempotent);
        Run(JobEvent.OwnerLost, Idempotent);
        Run(JobEvent.Threw, Idempotent);
        Assert.Equal((JobState.Scheduled, 1, 1, 1, 3), (_job.State, _job.Crashes, _job.Losses, _job.Failures, _job.Starts));
    }

    [Fact]
    public void An_outcome_counts_once_however_often_it_is_reported()
    {
        Run(JobEvent.Threw, Idempotent);
        Assert.Equal(JobVerdict.Stale, Happens(JobEvent.Threw, Idempotent).Verdict);
        Assert.Equal(1, _job.Failures);
    }

    [Fact]
    public void A_replica_that_was_presumed_gone_has_the_last_word_until_the_next_claim()
    {
        Run(JobEvent.OwnerLost, Idempotent);
        var presumed = _job;
        Assert.Equal(JobVerdict.Late, Happens(JobEvent.Succeeded, Idempotent).Verdict);
        Assert.Equal(JobState.Succeeded, _job.State);

        _job = presumed;
        Happens(JobEvent.Claimed);
        var first = JobRules.Decide(_job, Idempotent, JobEvent.Succeeded, new JobMoment(_now, 1) { Fence = _job.Fence - 1 });
        Assert.Equal((JobVerdict.Stale, JobState.Running), (first.Verdict, first.Status.State));
    }

    [Fact]
    public void A_retry_by_hand_begins_again_and_ignores_what_earlier_attempts_report()
    {
        Run(JobEvent.OwnerLost, new JobTraits());
        var fence = _job.Fence;
        Happens(JobEvent.RetriedByHand);
        Assert.Equal((JobState.Ready, fence + 1, 0), (_job.State, _job.Fence, _job.Losses));
        Assert.Equal(JobVerdict.Stale, JobRules.Decide(_job, Idempotent, JobEvent.Succeeded, new JobMoment(_now, 1) { Fence = fence }).Verdict);
    }

    [Fact]
    public void A_cancelled_job_that_succeeds_all_the_same_has_succeeded()
    {
        Happens(JobEvent.Claimed);
        Happens(JobEvent.TimedOut);
        Happens(JobEvent.CancelAsked);
        Assert.Equal(JobStop.Cancel, _job.Stop);
        Happens(JobEvent.Succeeded);
        Assert.Equal((JobState.Succeeded, JobStop.None), (_job.State, _job.Stop));
    }

    private void Run(JobEvent outcome, JobTraits kind)
    {
        _now = _job.Due > _now ? _job.Due : _now;
        Happens(JobEvent.Due);
        Assert.Equal(JobVerdict.Applied, Happens(JobEvent.Claimed).Verdict);
        Assert.Equal(JobVerdict.Applied, Happens(outcome, kind).Verdict);
    }

    private JobChange Happens(JobEvent happened, JobTraits? kind = null)
    {
        var change = JobRules.Decide(_job, kind ?? new JobTraits(), happened, new JobMoment(_now, 1) { Fence = _job.Fence });
        _job = change.Status;
        return change;
    }
}
