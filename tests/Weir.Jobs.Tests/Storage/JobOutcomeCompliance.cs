using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Storage;

/// <summary>How attempts end: fences, results, what is kept of those without success, and what people do with jobs that ended.</summary>
public abstract class JobOutcomeCompliance : JobStoreFixture
{
    // ---- results ----

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(64 * 1024)]
    [InlineData(300 * 1024)]
    [InlineData(2 * 1024 * 1024)]
    public async Task A_result_is_read_back(int length)
    {
        var job = await StartAsync();
        var result = Bytes(length);
        var action = await ActAsync(job, JobEvent.Succeeded, 1, result);
        Assert.Equal(JobVerdict.Applied, action.Change.Verdict);
        Same(result, await ResultAsync(job));
        Assert.Empty(await AttemptsAsync(job));
        var record = await FindAsync(job);
        Assert.Equal(JobState.Succeeded, record.Status.State);
        Assert.Equal(Now, record.Ended);
    }

    [Fact]
    public async Task A_job_that_has_not_succeeded_has_no_result()
    {
        var job = await StartAsync();
        Assert.Null(await ResultAsync(job));
        await ActAsync(job, JobEvent.Threw, fence: 1, payload: "no");
        Assert.Null(await ResultAsync(job));
        Assert.Null(await ResultAsync(NextId()));
    }

    [Fact]
    public async Task A_result_is_copied_from_the_memory_of_the_caller()
    {
        var job = await StartAsync();
        var bytes = new byte[] { 1, 2, 3 };
        await ActAsync(job, JobEvent.Succeeded, 1, bytes);
        bytes[0] = 9;
        Same(new byte[] { 1, 2, 3 }, await ResultAsync(job));
    }

    [Fact]
    public async Task Results_of_several_jobs_in_one_commit_are_not_mixed_up()
    {
        var jobs = Enumerable.Range(0, 50).Select(_ => Job(starts: true)).ToArray();
        await AcceptAsync(jobs);
        await CommitAsync(batch => batch.Actions.AddRange(jobs.Select(static (job, index) => new JobAction
        {
            Id = job.Id,
            Happened = JobEvent.Succeeded,
            Kind = Once,
            Moment = new JobMoment(Now, 0.5) { Fence = 1 },
            Payload = Bytes(index % 7 == 0 ? 300_000 : index, seed: index),
        })));
        for (var index = 0; index < jobs.Length; index++)
        {
            Same(Bytes(index % 7 == 0 ? 300_000 : index, seed: index), await ResultAsync(jobs[index].Id));
        }
    }

    // ---- fences ----

    [Fact]
    public async Task An_outcome_counts_once()
    {
        var job = await StartAsync();
        await ActAsync(job, JobEvent.Succeeded, fence: 1, payload: "first");
        var second = await ActAsync(job, JobEvent.Succeeded, fence: 1, payload: "second");
        Assert.Equal(JobVerdict.Stale, second.Change.Verdict);
        Assert.Equal(JobState.Succeeded, second.Before?.State);
        Same(Bytes("first"), await ResultAsync(job));
    }

    [Fact]
    public async Task Of_two_outcomes_in_one_commit_the_first_counts()
    {
        var job = await StartAsync();
        var (first, second) = (Action(job, JobEvent.Succeeded, fence: 1, payload: "first"), Action(job, JobEvent.Threw, fence: 1, payload: "second"));
        await CommitAsync(batch => batch.Actions.AddRange([first, second]));
        Assert.Equal((JobVerdict.Applied, JobVerdict.Stale), (first.Change.Verdict, second.Change.Verdict));
        Assert.Equal((JobState.Running, JobState.Succeeded), (first.Before!.Value.State, second.Before!.Value.State));
        Same(Bytes("first"), await ResultAsync(job));
        Assert.Empty(await AttemptsAsync(job));
    }

    [Fact]
    public async Task An_outcome_of_an_earlier_attempt_changes_nothing()
    {
        var job = await StartAsync();
        await ActAsync(job, JobEvent.Drained, Idempotent, fence: 1, payload: "drained");
        await ClaimAsync();
        var before = await FindAsync(job);
        var stale = await ActAsync(job, JobEvent.Succeeded, fence: 1, payload: "late");
        Assert.Equal(JobVerdict.Stale, stale.Change.Verdict);
        Same(before, await FindAsync(job));
        Assert.Null(await ResultAsync(job));
        Assert.Single(await AttemptsAsync(job));
    }

    [Fact]
    public async Task Each_claim_has_the_next_fence()
    {
        var job = (await AcceptAsync()).Id;
        for (var fence = 1; fence <= 5; fence++)
        {
            var claimed = await ClaimAsync();
            Assert.Equal((job, fence, 1), (claimed.Record.Id, claimed.Record.Status.Fence, claimed.Record.Status.Starts));
            await ActAsync(job, JobEvent.NotStarted, fence: fence);
        }
    }

    [Fact]
    public async Task An_event_of_a_job_that_does_not_exist_is_refused()
    {
        var action = await ActAsync(NextId(), JobEvent.CancelAsked);
        Assert.Null(action.Before);
        Assert.Equal(JobVerdict.Refused, action.Change.Verdict);
    }

    [Fact]
    public async Task What_an_event_made_of_a_job_is_filled_in()
    {
        var job = await StartAsync();
        var before = await FindAsync(job);
        var action = await ActAsync(job, JobEvent.Threw, Once with { Attempts = 2 }, fence: 1);
        Assert.Equal(before.Status, action.Before);
        Assert.Equal((await FindAsync(job)).Status, action.Change.Status);
    }

    // ---- late outcomes ----

    [Fact]
    public async Task A_late_success_replaces_the_presumption_that_a_job_was_lost()
    {
        var job = await StartAsync();
        await ActAsync(job, JobEvent.OwnerLost, fence: 1, payload: "lost");
        Assert.Equal(JobReason.Lost, (await FindAsync(job)).Status.Reason);
        var late = await ActAsync(job, JobEvent.Succeeded, fence: 1, payload: "result", now: Now.AddMinutes(3));
        Assert.Equal(JobVerdict.Late, late.Change.Verdict);
        var record = await FindAsync(job);
        Assert.Equal((JobState.Succeeded, JobReason.None), (record.Status.State, record.Status.Reason));
        Assert.Equal(Now.AddMinutes(3), record.Ended);
        Same(Bytes("result"), await ResultAsync(job));
    }

    [Fact]
    public async Task A_late_success_of_a_job_that_waits_again_takes_it_out_of_those_that_are_ready()
    {
        var job = await StartAsync();
        await ActAsync(job, JobEvent.OwnerLost, Idempotent, fence: 1);
        Assert.Equal(JobState.Ready, await StateAsync(job));
        await ActAsync(job, JobEvent.Succeeded, Idempotent, fence: 1, payload: "result");
        var claim = await ClaimAsync(1, Of(Kind));
        Assert.Empty(claim.Jobs);
        Assert.True(claim.Kinds[0].IsEmpty);
        Same(Bytes("result"), await ResultAsync(job));
    }

    [Fact]
    public async Task A_late_failure_is_kept_behind_the_loss_of_the_same_attempt()
    {
        var job = await StartAsync();
        await ActAsync(job, JobEvent.OwnerLost, fence: 1, payload: "lost", now: Now.AddSeconds(1));
        await ActAsync(job, JobEvent.Threw, fence: 1, payload: "threw", now: Now.AddSeconds(2));
        var attempts = await AttemptsAsync(job);
        Assert.Equal([(1L, JobEvent.OwnerLost, "lost"), (1L, JobEvent.Threw, "threw")], attempts.Select(static attempt => (attempt.Fence, attempt.Happened, Text(attempt.Failure))));
        var record = await FindAsync(job);
        Assert.Equal((JobState.Failed, JobReason.Exception, "threw"), (record.Status.State, record.Status.Reason, Text(record.Failure)));
        Assert.Equal(Now.AddSeconds(2), record.Ended);
    }

    [Fact]
    public async Task An_outcome_after_the_next_claim_is_not_late_but_over()
    {
        var job = await StartAsync();
        await ActAsync(job, JobEvent.OwnerLost, Idempotent, fence: 1);
        await ClaimAsync();
        Assert.Equal(JobVerdict.Stale, (await ActAsync(job, JobEvent.Succeeded, Idempotent, fence: 1)).Change.Verdict);
        Assert.Equal(JobState.Running, await StateAsync(job));
    }

    // ---- attempts without success ----

    [Theory]
    [InlineData(JobEvent.Threw, "")]
    [InlineData(JobEvent.Threw, "why 🌊 'and' \"how\"")]
    [InlineData(JobEvent.Answered, "declared")]
    [InlineData(JobEvent.AskedForRetry, "not yet")]
    [InlineData(JobEvent.Crashed, "report 7")]
    [InlineData(JobEvent.OwnerLost, "")]
    [InlineData(JobEvent.Quarantined, "refused")]
    [InlineData(JobEvent.NotUnderstood, "no such member")]
    [InlineData(JobEvent.Drained, "stopped")]
    public async Task An_attempt_that_ended_without_success_is_kept(object happened, string failure)
    {
        // The enum is not public, and a test is.
        var job = await StartAsync();
        await ActAsync(job, (JobEvent)happened, fence: 1, payload: failure, now: Now.AddSeconds(5));
        var attempt = Assert.Single(await AttemptsAsync(job));
        Assert.Equal((1L, Now, Now.AddSeconds(5), (JobEvent)happened, JobStop.None), (attempt.Fence, attempt.Started, attempt.Ended, attempt.Happened, attempt.Stop));
        Assert.Equal(failure, Text(attempt.Failure));
        Assert.Equal(failure, Text((await FindAsync(job)).Failure));
    }

    [Theory]
    [InlineData(JobEvent.CancelAsked, JobStop.Cancel, JobState.Cancelled)]
    [InlineData(JobEvent.TimedOut, JobStop.Timeout, JobState.Failed)]
    public async Task Why_an_attempt_was_to_stop_is_kept(object happened, JobStop stop, JobState state)
    {
        var job = await StartAsync();
        await ActAsync(job, (JobEvent)happened);
        Assert.Equal((JobState.Running, stop), ((await FindAsync(job)).Status.State, (await FindAsync(job)).Status.Stop));
        await ActAsync(job, JobEvent.Threw, fence: 1, payload: "stopped");
        Assert.Equal(stop, Assert.Single(await AttemptsAsync(job)).Stop);
        Assert.Equal((state, JobStop.None), ((await FindAsync(job)).Status.State, (await FindAsync(job)).Status.Stop));
    }

    [Fact]
    public async Task An_attempt_that_did_not_begin_is_not_kept()
    {
        var job = await StartAsync();
        await ActAsync(job, JobEvent.NotStarted, fence: 1, payload: "rejected");
        Assert.Empty(await AttemptsAsync(job));
        Assert.True((await FindAsync(job)).Failure.IsEmpty);
    }

    [Fact]
    public async Task Attempts_are_read_in_order_and_the_last_failure_is_that_of_the_job()
    {
        var job = (await AcceptAsync()).Id;
        for (var fence = 1; fence <= 20; fence++)
        {
            await ClaimAsync(now: Now.AddMinutes(fence));
            await ActAsync(job, JobEvent.AskedForRetry, fence: fence, payload: $"attempt {fence}", now: Now.AddMinutes(fence).AddSeconds(1));
        }

        var attempts = await AttemptsAsync(job);
        Assert.Equal(
            Enumerable.Range(1, 20).Select(static fence => ((long)fence, Now.AddMinutes(fence), Now.AddMinutes(fence).AddSeconds(1), $"attempt {fence}")),
            attempts.Select(static attempt => (attempt.Fence, attempt.Started, attempt.Ended, Text(attempt.Failure))));
        Assert.Equal("attempt 20", Text((await FindAsync(job)).Failure));
        Assert.Equal("attempt 20", Text((await ClaimAsync(now: Now.AddHours(1))).Record.Failure));
    }

    [Fact]
    public async Task A_large_failure_is_read_back()
    {
        var job = await StartAsync();
        var failure = Bytes(300 * 1024);
        await ActAsync(job, JobEvent.Threw, 1, failure);
        Same(failure, Assert.Single(await AttemptsAsync(job)).Failure);
        Same(failure, (await FindAsync(job)).Failure);
    }

    [Fact]
    public async Task Failures_stay_when_a_later_attempt_succeeds()
    {
        var job = await StartAsync();
        await ActAsync(job, JobEvent.AskedForRetry, fence: 1, payload: "not yet");
        await ClaimAsync();
        await ActAsync(job, JobEvent.Succeeded, fence: 2, payload: "result");
        Assert.Equal("not yet", Text(Assert.Single(await AttemptsAsync(job)).Failure));
        Assert.Equal("not yet", Text((await FindAsync(job)).Failure));
    }

    [Fact]
    public async Task A_failure_of_nothing_replaces_that_of_an_earlier_attempt()
    {
        var job = await StartAsync();
        await ActAsync(job, JobEvent.AskedForRetry, fence: 1, payload: "not yet");
        await ClaimAsync();
        await ActAsync(job, JobEvent.OwnerLost, fence: 2);
        Assert.True((await FindAsync(job)).Failure.IsEmpty);
        Assert.Equal(2, (await AttemptsAsync(job)).Count);
    }

    [Fact]
    public async Task A_job_that_was_not_tried_or_does_not_exist_has_no_attempts()
    {
        Assert.Empty(await AttemptsAsync((await AcceptAsync()).Id));
        Assert.Empty(await AttemptsAsync(NextId()));
    }

    // ---- retry by hand ----

    [Fact]
    public async Task A_retry_by_hand_of_a_job_that_ended_begins_again()
    {
        var job = await StartAsync();
        await AppendAsync(job, 1, Bytes("1"), Bytes("2"));
        await CommitAsync(batch => batch.Progress.Add(new NewProgress(job, 1, new JobProgress(0.5, "half"))));
        await ActAsync(job, JobEvent.Threw, fence: 1, payload: "threw");
        var ended = await FindAsync(job);
        Assert.Equal((2, 0, new JobProgress(0.5, "half"), Now), (ended.Items, ended.Run, ended.Progress, ended.Ended));

        var batch = await CommitAsync(batch => batch.Actions.Add(Action(job, JobEvent.RetriedByHand)), Now.AddHours(1));
        Assert.Contains(Kind, batch.ReadyKinds);
        var record = await FindAsync(job);
        Assert.Equal((0, 1, null, null), (record.Items, record.Run, record.Progress, record.Ended));
        Assert.Equal((JobState.Ready, 2, 0, 1), (record.Status.State, record.Status.Fence, record.Status.Failures, record.Status.Starts));
        Assert.Empty(await ItemsAsync(job));

        // What was tried before is still known.
        Assert.Equal("threw", Text(Assert.Single(await AttemptsAsync(job)).Failure));
        Assert.Equal(3, (await ClaimAsync()).Record.Status.Fence);
        await AppendAsync(job, 3, Bytes("new"));
        Assert.Equal("new", Text(Assert.Single(await ItemsAsync(job))));
    }

    [Fact]
    public async Task A_retry_by_hand_of_a_job_that_waits_drops_nothing()
    {
        var job = await StartAsync();
        await AppendAsync(job, 1, Bytes("1"));
        await CommitAsync(batch => batch.Progress.Add(new NewProgress(job, 1, new JobProgress(0.5, null))));
        await ActAsync(job, JobEvent.AskedForRetry, fence: 1, due: Now.AddHours(1));
        Assert.Equal(JobState.Scheduled, await StateAsync(job));
        var batch = await CommitAsync(batch => batch.Actions.Add(Action(job, JobEvent.RetriedByHand)));
        Assert.Contains(Kind, batch.ReadyKinds);
        Assert.Null(batch.NextDue);
        var record = await FindAsync(job);
        Assert.Equal((JobState.Ready, 1, 0, new JobProgress(0.5, null)), (record.Status.State, record.Items, record.Run, record.Progress));
    }

    [Fact]
    public async Task A_retry_by_hand_of_a_job_that_is_ready_keeps_its_place()
    {
        var (first, second) = (Job(), Job());
        await AcceptAsync([first, second]);
        await ActAsync(first.Id, JobEvent.RetriedByHand);
        Assert.Equal(first.Id, (await ClaimAsync()).Record.Id);
    }

    [Fact]
    public async Task A_job_that_succeeded_is_not_changed_by_a_retry_by_hand()
    {
        var job = await StartAsync();
        await ActAsync(job, JobEvent.Succeeded, fence: 1, payload: "result");
        var before = await FindAsync(job);
        Assert.Equal(JobVerdict.NewJob, (await ActAsync(job, JobEvent.RetriedByHand)).Change.Verdict);
        Same(before, await FindAsync(job));
        Same(Bytes("result"), await ResultAsync(job));
    }

    // ---- other arguments ----

    [Fact]
    public async Task Other_arguments_replace_those_that_were_submitted()
    {
        var job = (await AcceptAsync()).Id;
        var arguments = Bytes(300 * 1024);
        Assert.Equal(JobVerdict.Applied, (await EditAsync(job, arguments, ulong.MaxValue)).Change.Verdict);
        Same(arguments, (await CallAsync(job)).Arguments);
        Assert.Equal(ulong.MaxValue, (await CallAsync(job)).Signature);
        Assert.Equal(ulong.MaxValue, (await FindAsync(job)).Signature);
        var claimed = await ClaimAsync();
        Same(arguments, claimed.Arguments);
        Assert.Equal(ulong.MaxValue, claimed.Record.Signature);
    }

    [Fact]
    public async Task Other_arguments_may_be_small_where_the_first_ones_were_large()
    {
        var job = (await AcceptAsync(Job(arguments: Bytes(300 * 1024)))).Id;
        await EditAsync(job, Bytes("{}"), 1);
        Same(Bytes("{}"), (await ClaimAsync()).Arguments);
        await ActAsync(job, JobEvent.NotStarted, fence: 1);
        await EditAsync(job, default, 2);
        Same(default, (await ClaimAsync()).Arguments);
    }

    [Fact]
    public async Task Other_arguments_of_a_job_that_runs_are_refused()
    {
        var job = await StartAsync();
        Assert.Equal(JobVerdict.Refused, (await EditAsync(job, Bytes("other"), 1)).Change.Verdict);
        Same(Bytes("{\"year\":2026}"), (await CallAsync(job)).Arguments);
        Assert.Equal(0xFEDC_BA98_7654_3210, (await FindAsync(job)).Signature);
    }

    [Fact]
    public async Task Other_arguments_of_a_job_that_ended_do_not_change_when_it_ended()
    {
        var job = await StartAsync();
        await ActAsync(job, JobEvent.Threw, fence: 1, payload: "threw");
        var edit = Action(job, JobEvent.ArgumentsEdited, payload: "other", now: Now.AddHours(1));
        await CommitAsync(batch => batch.Actions.Add(edit), Now.AddHours(1));
        var record = await FindAsync(job);
        Assert.Equal((Now, "threw"), (record.Ended, Text(record.Failure)));
        await ActAsync(job, JobEvent.RetriedByHand);
        Same(Bytes("other"), (await ClaimAsync()).Arguments);
    }

    [Fact]
    public async Task Other_arguments_do_not_change_what_a_repeated_submission_is_compared_with()
    {
        var job = (await AcceptAsync(Job(idempotencyKey: "k", fingerprint: 5))).Id;
        await EditAsync(job, Bytes("other"), 1);
        var again = await AcceptAsync(Job(idempotencyKey: "k", fingerprint: 5));
        Assert.Equal((job, false), (again.Existing, again.IsKeyReused));
    }

    // ---- purge ----

    [Fact]
    public async Task Nothing_is_left_of_a_job_that_is_purged()
    {
        var job = (await AcceptAsync(Job(idempotencyKey: "k", starts: true, arguments: Bytes(300 * 1024)))).Id;
        await AppendAsync(job, 1, Bytes("1"));
        await ActAsync(job, JobEvent.AskedForRetry, fence: 1, payload: "not yet");
        await ClaimAsync();
        await ActAsync(job, JobEvent.Succeeded, 2, Bytes(300 * 1024));
        Assert.Equal(JobVerdict.Gone, (await ActAsync(job, JobEvent.Purged)).Change.Verdict);

        Assert.Null(await TryFindAsync(job));
        Assert.Null(await Store.FindCallAsync(job, TestContext.Current.CancellationToken));
        Assert.Null(await ResultAsync(job));
        Assert.Empty(await ItemsAsync(job));
        Assert.Empty(await AttemptsAsync(job));
        Assert.Empty(await ListAsync(new JobQuery()));
        Assert.Empty(await CountAsync());
        Assert.Null((await AcceptAsync(Job(idempotencyKey: "k"))).Existing);
    }

    [Fact]
    public async Task A_job_that_has_not_ended_is_not_purged()
    {
        var jobs = new[] { Job(due: Now.AddHours(1)), Job(), Job(kind: "Other/Kind", starts: true) };
        await AcceptAsync(jobs);
        foreach (var job in jobs)
        {
            Assert.Equal(JobVerdict.Refused, (await ActAsync(job.Id, JobEvent.Purged)).Change.Verdict);
            await FindAsync(job.Id);
        }
    }

    [Fact]
    public async Task A_purge_touches_no_other_job()
    {
        var (gone, kept) = (await StartAsync(), await StartAsync());
        foreach (var job in new[] { gone, kept })
        {
            await AppendAsync(job, 1, Bytes($"{job}"));
            await ActAsync(job, JobEvent.Threw, fence: 1, payload: $"{job}");
        }

        await ActAsync(gone, JobEvent.Purged);
        Assert.Equal($"{kept}", Text(Assert.Single(await ItemsAsync(kept))));
        Assert.Equal($"{kept}", Text(Assert.Single(await AttemptsAsync(kept)).Failure));
        Assert.Equal(kept, Assert.Single(await ListAsync(new JobQuery())).Id);
    }
}
