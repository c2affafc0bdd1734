using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Storage;

/// <summary>Jobs that end because they have not begun in time.</summary>
public abstract class JobExpiryCompliance : JobPauseCompliance
{
    private static DateTimeOffset Expiry => Now.AddSeconds(1);

    [Theory]
    [InlineData(-1, false)]
    [InlineData(0, true)]
    [InlineData(1, true)]
    public async Task A_job_expires_at_its_time(long ticks, bool expires)
    {
        var (job, claim) = (await AcceptAsync(Job(expires: Expiry)), Claim(1, Of(Kind)));
        var batch = await CommitAsync(
            batch =>
            {
                batch.MovesDue = true;
                batch.Claims.Add(claim);
            },
            Expiry.AddTicks(ticks));
        Assert.Equal(expires ? [new ExpiredJob(job.Id, Kind)] : [], batch.Expired);
        Assert.Equal(expires ? [] : [job.Id], Ids(claim));
        Assert.Equal((false, null), (batch.IsBehind, batch.NextDue));
        var record = await FindAsync(job.Id);
        Assert.Equal(expires ? (JobState.Expired, Expiry.AddTicks(ticks), 0L) : (JobState.Running, default(DateTimeOffset?), 1L), (record.Status.State, record.Ended, record.Status.Fence));
    }

    [Fact]
    public async Task A_commit_that_does_not_look_for_time_ends_no_job()
    {
        var job = await AcceptAsync(Job(expires: Expiry));
        var batch = await CommitAsync(batch => batch.Jobs.Add(Job("Other/Kind")), Expiry.AddHours(1));
        Assert.Empty(batch.Expired);
        Assert.Equal(Expiry, batch.NextDue);
        Assert.Equal(JobState.Ready, await StateAsync(job.Id));
    }

    [Fact]
    public async Task A_job_that_is_due_when_it_expires_is_not_started()
    {
        var jobs = new[] { Job(due: Expiry, expires: Expiry), Job(due: Expiry.AddHours(1), expires: Expiry) };
        await AcceptAsync(jobs);
        var claim = Claim(5, Of(Kind));
        var batch = await CommitAsync(
            batch =>
            {
                batch.MovesDue = true;
                batch.Claims.Add(claim);
            },
            Expiry);
        Assert.Empty(claim.Jobs);
        Assert.True(claim.Kinds[0].IsEmpty);
        Assert.Equal(Ids(jobs), batch.Expired.Select(static job => job.Id));
        Assert.Null(batch.NextDue);
    }

    [Fact]
    public async Task A_job_that_is_submitted_too_late_expires_with_its_acceptance()
    {
        var (late, starting) = (Job(expires: Now), Job("Other/Kind", expires: Now, starts: true));
        var batch = await CommitAsync(batch =>
        {
            batch.MovesDue = true;
            batch.Jobs.AddRange([late, starting]);
        });
        Assert.Equal([new ExpiredJob(late.Id, Kind)], batch.Expired);
        Assert.Equal((JobState.Expired, JobState.Running), (await StateAsync(late.Id), await StateAsync(starting.Id)));
    }

    [Fact]
    public async Task Nothing_is_left_to_do_of_a_job_that_expired()
    {
        var job = (await AcceptAsync(Job(expires: Expiry))).Id;
        await MoveAsync(Expiry);
        Assert.Empty((await MoveAsync(Expiry.AddHours(1))).Expired);
        Assert.Empty(await AttemptsAsync(job));
        Assert.Null(await ResultAsync(job));
        Assert.Equal(JobVerdict.NoChange, (await ActAsync(job, JobEvent.CancelAsked)).Change.Verdict);
        Assert.Equal([new JobCount(Kind, JobState.Expired, 1)], await CountAsync());
        Assert.Equal((null, Expiry), ((await FindAsync(job)).Started, (await FindAsync(job)).Expires));
        Assert.Equal(JobVerdict.Gone, (await ActAsync(job, JobEvent.Purged)).Change.Verdict);
    }

    [Fact]
    public async Task The_jobs_that_expired_are_answered_in_the_order_of_their_times()
    {
        var jobs = new[] { Job("a", expires: Expiry.AddTicks(2)), Job("b", expires: Expiry), Job("a", expires: Expiry.AddTicks(1)), Job("c", expires: Expiry.AddTicks(3)) };
        await AcceptAsync(jobs);
        Assert.Equal([new(jobs[1].Id, "b"), new(jobs[2].Id, "a"), new ExpiredJob(jobs[0].Id, "a")], (await MoveAsync(Expiry.AddTicks(2))).Expired);
        Assert.Equal([new ExpiredJob(jobs[3].Id, "c")], (await MoveAsync(Expiry.AddTicks(3))).Expired);
    }

    // ---- jobs that have begun ----

    [Fact]
    public async Task A_job_that_runs_does_not_expire()
    {
        var job = await AcceptAsync(Job(expires: Expiry, starts: true));
        var batch = await MoveAsync(Expiry.AddHours(1));
        Assert.Empty(batch.Expired);
        Assert.Null(batch.NextDue);
        Assert.Equal(JobState.Running, await StateAsync(job.Id));
    }

    [Theory]
    [InlineData(JobEvent.Threw)]
    [InlineData(JobEvent.AskedForRetry)]
    [InlineData(JobEvent.Crashed)]
    [InlineData(JobEvent.OwnerLost)]
    [InlineData(JobEvent.NotUnderstood)]
    [InlineData(JobEvent.Drained)]
    public async Task A_job_that_has_begun_and_waits_again_does_not_expire(object happened)
    {
        var job = await AcceptAsync(Job(expires: Expiry, starts: true));
        await ActAsync(job.Id, (JobEvent)happened, Idempotent, fence: 1);
        Assert.True((await FindAsync(job.Id)).Status.IsWaiting);
        Assert.Empty((await MoveAsync(Expiry.AddHours(1))).Expired);
        Assert.Equal(2, (await ClaimAsync(now: Expiry.AddHours(1))).Record.Status.Fence);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3600)]
    public async Task A_job_that_was_claimed_and_did_not_begin_expires(int pause)
    {
        var job = await AcceptAsync(Job(expires: Expiry, starts: true));
        var batch = await CommitAsync(batch => batch.Actions.Add(Action(job.Id, JobEvent.NotStarted, fence: 1, due: Now.AddSeconds(pause))));
        Assert.Equal(Expiry, batch.NextDue);
        Assert.Equal([job.Id], (await MoveAsync(Expiry)).Expired.Select(static expired => expired.Id));
        Assert.Equal((JobState.Expired, 1), ((await FindAsync(job.Id)).Status.State, (await FindAsync(job.Id)).Status.Fence));
    }

    [Fact]
    public async Task A_job_that_was_cancelled_or_purged_does_not_expire()
    {
        var (cancelled, purged) = (await AcceptAsync(Job(expires: Expiry)), await AcceptAsync(Job(expires: Expiry)));
        await ActAsync(cancelled.Id, JobEvent.CancelAsked);
        await ActAsync(purged.Id, JobEvent.CancelAsked);
        await ActAsync(purged.Id, JobEvent.Purged);
        var batch = await MoveAsync(Expiry);
        Assert.Empty(batch.Expired);
        Assert.Null(batch.NextDue);
        Assert.Equal(JobState.Cancelled, await StateAsync(cancelled.Id));
    }

    [Fact]
    public async Task A_job_that_is_begun_again_by_hand_does_not_expire_again()
    {
        var job = (await AcceptAsync(Job(expires: Expiry))).Id;
        await MoveAsync(Expiry);
        var batch = await CommitAsync(batch => batch.Actions.Add(Action(job, JobEvent.RetriedByHand, now: Expiry)), Expiry);
        Assert.Equal([Kind], batch.ReadyKinds);
        Assert.Null(batch.NextDue);
        Assert.Equal((null, null), ((await FindAsync(job)).Expires, (await FindAsync(job)).Ended));
        if (Store.IsDurable)
        {
            await ReopenAsync(killed: true);
            Assert.Null(Content.NextDue);
        }

        Assert.Empty((await MoveAsync(Expiry.AddHours(1))).Expired);
        Assert.Equal(job, (await ClaimAsync()).Record.Id);
        await ActAsync(job, JobEvent.NotStarted, fence: 2);
        Assert.Empty((await MoveAsync(Expiry.AddHours(1))).Expired);
    }

    // ---- many ----

    [Fact]
    public async Task A_commit_ends_a_thousand_at_most_and_claims_nothing_while_there_are_more()
    {
        var jobs = Enumerable.Range(0, 2_500).Select(index => Job(expires: Expiry.AddTicks(index * 7 % 2_500))).ToArray();
        var kept = Job("Other/Kind");
        await AcceptAsync([.. jobs, kept]);
        var expired = new List<Guid>();
        foreach (var count in new[] { 1_000, 1_000, 500 })
        {
            var claim = Claim(5, Of(Kind), Of("Other/Kind"));
            var batch = await CommitAsync(
                batch =>
                {
                    batch.MovesDue = true;
                    batch.Claims.Add(claim);
                },
                Expiry.AddHours(1));
            expired.AddRange(batch.Expired.Select(static job => job.Id));
            Assert.Equal((count, count == 1_000), (batch.Expired.Count, batch.IsBehind));
            Assert.Equal(count == 1_000 ? Expiry.AddTicks(expired.Count) : null, batch.NextDue);
            Assert.Equal(count == 1_000 ? [] : [kept.Id], Ids(claim));
            Assert.Equal([count != 1_000, count != 1_000], claim.Kinds.Select(static kind => kind.IsEmpty));
        }

        Assert.Equal(jobs.OrderBy(static job => job.Expires).Select(static job => job.Id), expired);
    }

    [Fact]
    public async Task A_commit_that_ends_the_last_one_of_a_thousand_is_not_behind()
    {
        await AcceptAsync([.. Enumerable.Range(0, 1_000).Select(_ => Job(expires: Expiry)), Job(expires: Expiry.AddTicks(1))]);
        var claim = Claim(5, Of(Kind));
        var batch = await CommitAsync(
            batch =>
            {
                batch.MovesDue = true;
                batch.Claims.Add(claim);
            },
            Expiry);
        Assert.Equal((1_000, false), (batch.Expired.Count, batch.IsBehind));
        Assert.Single(claim.Jobs);
    }

    // ---- the next time ----

    [Fact]
    public async Task The_next_time_is_the_earlier_one_of_due_and_expiry()
    {
        var jobs = new[] { Job(due: Now.AddHours(2)), Job("a", expires: Now.AddHours(3)), Job("b", due: Now.AddHours(4), expires: Now.AddHours(1)) };
        Assert.Equal(Now.AddHours(1), (await CommitAsync(batch => batch.Jobs.AddRange(jobs))).NextDue);
        Assert.Equal(Now.AddHours(2), (await CommitAsync(batch => batch.Actions.Add(Action(jobs[2].Id, JobEvent.CancelAsked)))).NextDue);
        Assert.Equal(Now.AddHours(3), (await CommitAsync(batch => batch.Actions.Add(Action(jobs[0].Id, JobEvent.RetriedByHand)))).NextDue);

        // While it runs it cannot expire, and when it did not begin it can.
        Assert.Null((await CommitAsync(static batch => batch.Claims.Add(Claim(1, Of("a"))))).NextDue);
        Assert.Equal(Now.AddHours(3), (await CommitAsync(batch => batch.Actions.Add(Action(jobs[1].Id, JobEvent.NotStarted, fence: 1)))).NextDue);
    }
}
