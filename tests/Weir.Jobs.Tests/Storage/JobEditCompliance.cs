using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Storage;

/// <summary>Other arguments for a job: what they change, what is kept of those before, and where the job is among those that wait.</summary>
public abstract class JobEditCompliance : JobUniquenessCompliance
{
    [Fact]
    public async Task Arguments_signature_and_key_are_changed_and_nothing_else()
    {
        var job = await AcceptAsync(Job(key: "a", priority: JobPriority.High, due: Now.AddHours(1), expires: Now.AddHours(2), owner: "o", idempotencyKey: "k", fingerprint: 5, uniqueUntil: JobUniqueness.Ended));
        var before = await FindAsync(job.Id);
        var action = await EditAsync(job.Id, Bytes("other"), 9, key: "b");
        Assert.Equal((before.Status, JobVerdict.Applied, before.Status), (action.Before, action.Change.Verdict, action.Change.Status));
        Same(before with { Signature = 9, Key = "b" }, await FindAsync(job.Id));
        var call = await CallAsync(job.Id);
        Assert.Equal(("other", 9UL, "b", 5UL, JobUniqueness.Ended), (Text(call.Arguments), call.Signature, call.Key, call.Fingerprint, call.UniqueUntil));
        Assert.Equal(job.Id, (await AcceptAsync(Job(owner: "o", idempotencyKey: "k"))).Existing);
    }

    [Theory]
    [InlineData(null, "a")]
    [InlineData("", "")]
    [InlineData("🌊", "🌊")]
    public async Task The_key_stays_unless_another_one_is_given(string? key, string expected)
    {
        var job = await AcceptAsync(Job(key: "a"));
        await EditAsync(job.Id, Bytes("other"), 1, key);
        Assert.Equal(expected, (await FindAsync(job.Id)).Key);
        Assert.Equal([expected], Keys(await ClaimAsync(1, Of(Kind))));
    }

    [Fact]
    public async Task The_arguments_before_are_kept_with_the_attempts()
    {
        var job = await StartAsync();
        await ActAsync(job, JobEvent.AskedForRetry, fence: 1, payload: "not yet");
        await CommitAsync(
            batch => batch.Actions.Add(new JobAction { Id = job, Happened = JobEvent.ArgumentsEdited, Kind = Once, Moment = new JobMoment(Now, 0), Payload = Bytes("second") }), Now.AddMinutes(1));
        await EditAsync(job, Bytes("third"), 3);
        Assert.Equal(
            [
                (1L, Now, Now, JobEvent.AskedForRetry, "not yet"),
                (1L, Now.AddMinutes(1), Now.AddMinutes(1), JobEvent.ArgumentsEdited, "{\"year\":2026}"),
                (1L, Now, Now, JobEvent.ArgumentsEdited, "second"),
            ],
            (await AttemptsAsync(job)).Select(static attempt => (attempt.Fence, attempt.Started, attempt.Ended, attempt.Happened, Text(attempt.Failure))));
        Assert.Equal("third", Text((await ClaimAsync()).Arguments));
    }

    [Fact]
    public async Task The_failure_of_a_job_stays_that_of_its_last_attempt()
    {
        var job = (await AcceptAsync()).Id;
        await EditAsync(job, Bytes("second"), 1);
        Assert.True((await FindAsync(job)).Failure.IsEmpty);
        Assert.True((await ClaimAsync()).Record.Failure.IsEmpty);
        await ActAsync(job, JobEvent.Threw, fence: 1, payload: "threw");
        await EditAsync(job, Bytes("third"), 2);
        await EditAsync(job, Bytes("fourth"), 3);
        Assert.Equal("threw", Text((await FindAsync(job)).Failure));
        Assert.Equal("threw", Text(Assert.Single(await ListAsync(new JobQuery())).Failure));
        await ActAsync(job, JobEvent.RetriedByHand);
        var claimed = await ClaimAsync();
        Assert.Equal(("fourth", "threw"), (Text(claimed.Arguments), Text(claimed.Record.Failure)));
        await ActAsync(job, JobEvent.Threw, fence: claimed.Record.Status.Fence, payload: "again");
        Assert.Equal("again", Text((await FindAsync(job)).Failure));
        Assert.Equal(
            [JobEvent.ArgumentsEdited, JobEvent.Threw, JobEvent.ArgumentsEdited, JobEvent.ArgumentsEdited, JobEvent.Threw], (await AttemptsAsync(job)).Select(static attempt => attempt.Happened));
    }

    [Theory]
    [InlineData(10, 2_000)]
    [InlineData(10, 300 * 1024)]
    [InlineData(2_000, 10)]
    [InlineData(2_000, 3_000)]
    [InlineData(100 * 1024, 600 * 1024)]
    [InlineData(600 * 1024, 100 * 1024)]
    [InlineData(300 * 1024, 0)]
    [InlineData(0, 300 * 1024)]
    public async Task Arguments_of_all_sizes_replace_each_other(int before, int after)
    {
        var job = (await AcceptAsync(Job(arguments: Bytes(before, seed: 1)))).Id;
        await EditAsync(job, Bytes(after, seed: 2), 1);
        if (Store.IsDurable)
        {
            await ReopenAsync(killed: true);
        }

        Same(Bytes(after, seed: 2), (await CallAsync(job)).Arguments);
        Same(Bytes(before, seed: 1), Assert.Single(await AttemptsAsync(job)).Failure);
        Same(Bytes(after, seed: 2), (await ClaimAsync()).Arguments);
    }

    [Fact]
    public async Task Other_arguments_are_copied_from_the_memory_of_the_caller()
    {
        var (job, bytes) = ((await AcceptAsync()).Id, new byte[] { 1, 2, 3 });
        await EditAsync(job, bytes, 1);
        bytes[0] = 9;
        Same(new byte[] { 1, 2, 3 }, (await CallAsync(job)).Arguments);
    }

    // ---- where it is ----

    [Fact]
    public async Task A_job_that_is_ready_keeps_its_place_under_another_key()
    {
        var jobs = WithKeys("a", "b", "a", "b", "c").ToArray();
        await AcceptAsync(jobs);
        await EditAsync(jobs[0].Id, Bytes("other"), 1, key: "b");
        await EditAsync(jobs[3].Id, Bytes("other"), 1, key: "a");

        // Of a: 2, 3. Of b: 0, 1. Of c: 4.
        Assert.Equal([jobs[2].Id, jobs[0].Id, jobs[4].Id, jobs[3].Id, jobs[1].Id], Ids(await ClaimAsync(10, Of(Kind))));
    }

    [Fact]
    public async Task A_job_that_is_edited_keeps_its_state_and_one_that_is_ready_may_be_claimed_under_its_new_key()
    {
        var (ready, scheduled) = (await AcceptAsync(Job(key: "a")), await AcceptAsync(Job("a", key: "a", due: Now.AddHours(1))));
        var batch = await CommitAsync(batch => batch.Actions.AddRange(new[] { ready, scheduled }.Select(static job => new JobAction
        {
            Id = job.Id,
            Happened = JobEvent.ArgumentsEdited,
            Kind = Once,
            Moment = new JobMoment(Now, 0),
            Payload = Bytes("other"),
            Key = "b",
        })));
        Assert.Equal([Kind], batch.ReadyKinds);
        Assert.Equal(Now.AddHours(1), batch.NextDue);
        Assert.Equal((JobState.Ready, JobState.Scheduled), (await StateAsync(ready.Id), await StateAsync(scheduled.Id)));
        await MoveAsync(Now.AddHours(1));
        Assert.Equal(["b"], Keys(await ClaimAsync(5, Of("a"))));
    }

    [Fact]
    public async Task A_job_that_ended_runs_again_under_its_other_key()
    {
        var job = await AcceptAsync(Job(key: "a", starts: true));
        await ActAsync(job.Id, JobEvent.Threw, fence: 1);
        await EditAsync(job.Id, Bytes("other"), 1, key: "b");
        Assert.Equal([job.Id], (await ListAsync(new JobQuery { Key = "b" })).Select(static record => record.Id));
        Assert.Empty(await ListAsync(new JobQuery { Key = "a" }));
        await ActAsync(job.Id, JobEvent.RetriedByHand);
        await AcceptAsync(Job(key: "a"));
        Assert.Equal(["a", "b"], Keys(await ClaimAsync(5, Of(Kind))));
    }

    [Fact]
    public async Task A_job_that_is_edited_still_expires()
    {
        var job = await AcceptAsync(Job(expires: Now.AddSeconds(1)));
        await EditAsync(job.Id, Bytes("other"), 1, key: "b");
        Assert.Equal([new ExpiredJob(job.Id, Kind)], (await MoveAsync(Now.AddSeconds(1))).Expired);
    }

    [Fact]
    public async Task An_edit_goes_before_the_claim_of_the_same_commit()
    {
        var (job, claim) = ((await AcceptAsync()).Id, Claim(1, Of(Kind)));
        await CommitAsync(batch =>
        {
            batch.Claims.Add(claim);
            batch.Actions.Add(Action(job, JobEvent.ArgumentsEdited, payload: "other"));
        });
        Assert.Equal("other", Text(Assert.Single(claim.Jobs).Arguments));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task What_is_refused_leaves_the_arguments_and_is_not_kept(bool runs)
    {
        var job = await AcceptAsync(Job(key: "a", starts: true));
        if (!runs)
        {
            await ActAsync(job.Id, JobEvent.Succeeded, fence: 1);
        }

        Assert.Equal(JobVerdict.Refused, (await EditAsync(job.Id, Bytes("other"), 1, key: "b")).Change.Verdict);
        Assert.Equal(("{\"year\":2026}", "a"), (Text((await CallAsync(job.Id)).Arguments), (await FindAsync(job.Id)).Key));
        Assert.Empty(await AttemptsAsync(job.Id));
    }
}
