using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Storage;

/// <summary>How long an idempotency key stands for a job: as long as the job is kept, or until it has ended.</summary>
public abstract class JobUniquenessCompliance : JobExpiryCompliance
{
    private const string Unique = "close-2026";

    [Theory]
    [InlineData(JobUniqueness.Retention, JobUniqueness.Retention)]
    [InlineData(JobUniqueness.Retention, JobUniqueness.Ended)]
    [InlineData(JobUniqueness.Ended, JobUniqueness.Retention)]
    [InlineData(JobUniqueness.Ended, JobUniqueness.Ended)]
    public async Task The_key_of_a_job_that_has_not_ended_is_held(JobUniqueness holder, JobUniqueness submission)
    {
        var first = await SubmitAsync(holder, fingerprint: 5);
        var same = await SubmitAsync(submission, fingerprint: 5);
        Assert.Equal((first.Id, false, null), (same.Existing, same.IsKeyReused, same.Claimed));

        // Arguments are compared only by a submission that is to be unique as long as its job is kept.
        var other = await SubmitAsync(submission, fingerprint: 6);
        Assert.Equal((first.Id, submission == JobUniqueness.Retention), (other.Existing, other.IsKeyReused));
        Assert.Equal([new JobCount(Kind, JobState.Ready, 1)], await CountAsync());
    }

    [Theory]
    [InlineData(JobUniqueness.Retention, JobUniqueness.Retention)]
    [InlineData(JobUniqueness.Retention, JobUniqueness.Ended)]
    [InlineData(JobUniqueness.Ended, JobUniqueness.Retention)]
    [InlineData(JobUniqueness.Ended, JobUniqueness.Ended)]
    public async Task The_key_of_a_job_that_has_ended_is_held_as_its_submission_said(JobUniqueness holder, JobUniqueness submission)
    {
        var first = await EndAsync(await SubmitAsync(holder), JobEvent.Succeeded);
        var second = await SubmitAsync(submission);
        Assert.Equal(holder == JobUniqueness.Retention ? first : null, second.Existing);

        // What counts for the next one is the job that holds the key now.
        var third = await SubmitAsync(submission);
        Assert.Equal(second.Existing ?? second.Id, third.Existing);
    }

    [Theory]
    [InlineData(JobEvent.Succeeded)]
    [InlineData(JobEvent.Threw)]
    [InlineData(JobEvent.Answered)]
    [InlineData(JobEvent.OwnerLost)]
    [InlineData(JobEvent.CancelAsked)]
    [InlineData(JobEvent.Expired)]
    [InlineData(JobEvent.Purged)]
    public async Task Every_end_frees_a_key_that_is_unique_until_then(object end)
    {
        foreach (var until in new[] { JobUniqueness.Ended, JobUniqueness.Retention })
        {
            var first = await SubmitAsync(until);
            await EndAsync(first, (JobEvent)end);
            var second = await SubmitAsync(until);
            Assert.Equal(until == JobUniqueness.Ended || end is JobEvent.Purged ? null : first.Id, second.Existing);
            await CommitAsync(batch => batch.Actions.AddRange(new[] { first, second }.SelectMany(static job => new[] { Action(job.Id, JobEvent.CancelAsked), Action(job.Id, JobEvent.Purged) })));
        }
    }

    [Theory]
    [InlineData("scheduled")]
    [InlineData("ready")]
    [InlineData("running")]
    [InlineData("running, cancel asked")]
    [InlineData("running, timed out")]
    [InlineData("waiting for its next attempt")]
    [InlineData("returned")]
    [InlineData("lost, and ready again")]
    public async Task A_key_that_is_unique_until_the_end_is_held_before_it(string state)
    {
        var starts = state is not ("scheduled" or "ready");
        var holder = await AcceptAsync(Job(idempotencyKey: Unique, uniqueUntil: JobUniqueness.Ended, starts: starts, due: state == "scheduled" ? Now.AddHours(1) : null));
        JobEvent? happened = state switch
        {
            "running, cancel asked" => JobEvent.CancelAsked,
            "running, timed out" => JobEvent.TimedOut,
            "waiting for its next attempt" => JobEvent.Threw,
            "returned" => JobEvent.NotStarted,
            "lost, and ready again" => JobEvent.OwnerLost,
            _ => null,
        };
        if (happened is { } some)
        {
            Assert.Equal(JobVerdict.Applied, (await ActAsync(holder.Id, some, Idempotent, fence: 1)).Change.Verdict);
        }

        Assert.False((await FindAsync(holder.Id)).Status.HasEnded);
        Assert.Equal(holder.Id, (await SubmitAsync(JobUniqueness.Ended)).Existing);
        Assert.Equal(holder.Id, (await SubmitAsync(JobUniqueness.Retention)).Existing);
    }

    [Fact]
    public async Task Jobs_that_ended_may_have_the_key_of_another_one()
    {
        var ended = new List<Guid>();
        for (var time = 0; time < 3; time++)
        {
            ended.Add(await EndAsync(await SubmitAsync(JobUniqueness.Ended), JobEvent.Succeeded));
        }

        var holder = await SubmitAsync(JobUniqueness.Retention);
        Assert.Null(holder.Existing);
        Assert.Equal(4, (await ListAsync(new JobQuery())).Count);
        Assert.All(await EndedAsync(Store), static job => Assert.False(job.HoldsKey));

        // A purge of one of them frees nothing.
        await ActAsync(ended[1], JobEvent.Purged);
        Assert.Equal(holder.Id, (await SubmitAsync(JobUniqueness.Ended)).Existing);
    }

    [Fact]
    public async Task Of_several_submissions_in_one_commit_the_first_one_is_stored()
    {
        var jobs = Enumerable.Range(0, 4).Select(index => Job(idempotencyKey: Unique, uniqueUntil: index == 3 ? JobUniqueness.Retention : JobUniqueness.Ended, fingerprint: (ulong)index, starts: true)).ToArray();
        await AcceptAsync(jobs);
        Assert.Equal([null, jobs[0].Id, jobs[0].Id, jobs[0].Id], jobs.Select(static job => job.Existing));
        Assert.Equal([false, false, false, true], jobs.Select(static job => job.IsKeyReused));
        Assert.Equal([true, false, false, false], jobs.Select(static job => job.Claimed is not null));
    }

    [Fact]
    public async Task A_key_is_free_in_the_commit_in_which_its_job_ends()
    {
        var (first, second) = (await AcceptAsync(Job(idempotencyKey: Unique, uniqueUntil: JobUniqueness.Ended, starts: true)), Job(idempotencyKey: Unique, uniqueUntil: JobUniqueness.Ended));
        await CommitAsync(batch =>
        {
            batch.Jobs.Add(second);
            batch.Actions.Add(Action(first.Id, JobEvent.Succeeded, fence: 1));
        });
        Assert.Null(second.Existing);
        Assert.Equal(JobState.Ready, await StateAsync(second.Id));

        // But what expires has its place behind what is accepted.
        var (expiring, third) = (await AcceptAsync(Job("a", idempotencyKey: Unique, uniqueUntil: JobUniqueness.Ended, expires: Now)), Job("a", idempotencyKey: Unique, uniqueUntil: JobUniqueness.Ended));
        var batch = await CommitAsync(batch =>
        {
            batch.MovesDue = true;
            batch.Jobs.Add(third);
        });
        Assert.Equal(expiring.Id, third.Existing);
        Assert.Equal([new ExpiredJob(expiring.Id, "a")], batch.Expired);
        Assert.Null((await AcceptAsync(Job("a", idempotencyKey: Unique, uniqueUntil: JobUniqueness.Ended))).Existing);
    }

    [Theory]
    [InlineData(JobUniqueness.Retention)]
    [InlineData(JobUniqueness.Ended)]
    public async Task A_key_is_one_of_its_kind_and_owner(JobUniqueness until)
    {
        var jobs = new[]
        {
            Job("a", owner: "o", idempotencyKey: Unique, uniqueUntil: until), Job("a", owner: "p", idempotencyKey: Unique, uniqueUntil: until), Job("a", idempotencyKey: Unique, uniqueUntil: until),
            Job("b", owner: "o", idempotencyKey: Unique, uniqueUntil: until), Job("a", owner: "O", idempotencyKey: Unique, uniqueUntil: until), Job("a", owner: "o", idempotencyKey: "Close-2026", uniqueUntil: until),
            Job("a", owner: "", idempotencyKey: Unique, uniqueUntil: until),
        };
        await AcceptAsync(jobs);
        Assert.All(jobs, static job => Assert.Null(job.Existing));
        foreach (var job in jobs)
        {
            Assert.Equal(job.Id, (await AcceptAsync(Job(job.Kind, owner: job.Owner, idempotencyKey: job.IdempotencyKey, uniqueUntil: until))).Existing);
        }
    }

    // ---- retry by hand ----

    [Theory]
    [InlineData(JobUniqueness.Ended, false, true)]
    [InlineData(JobUniqueness.Ended, true, false)]
    [InlineData(JobUniqueness.Retention, false, true)]
    [InlineData(JobUniqueness.Retention, true, true)]
    public async Task A_job_that_ended_is_not_begun_again_while_another_one_holds_its_key(JobUniqueness holder, bool hasEnded, bool isHeld)
    {
        var first = await EndAsync(await SubmitAsync(JobUniqueness.Ended), JobEvent.Threw);
        var second = await SubmitAsync(holder);
        if (hasEnded)
        {
            await EndAsync(second, JobEvent.Threw);
        }

        var before = await FindAsync(first);
        Assert.Equal(isHeld ? JobVerdict.Refused : JobVerdict.Applied, (await ActAsync(first, JobEvent.RetriedByHand)).Change.Verdict);
        if (isHeld)
        {
            Same(before, await FindAsync(first));
            await EndAsync(second, JobEvent.Purged);
            Assert.Equal(JobVerdict.Applied, (await ActAsync(first, JobEvent.RetriedByHand)).Change.Verdict);
        }

        Assert.Equal(JobState.Ready, await StateAsync(first));
    }

    [Fact]
    public async Task A_job_that_is_begun_again_holds_its_key_again()
    {
        var (first, second) = (await EndAsync(await SubmitAsync(JobUniqueness.Ended), JobEvent.Threw), await EndAsync(await SubmitAsync(JobUniqueness.Ended), JobEvent.CancelAsked));
        JobAction[] retries = [Action(first, JobEvent.RetriedByHand), Action(second, JobEvent.RetriedByHand)];
        await CommitAsync(batch => batch.Actions.AddRange(retries));
        Assert.Equal((JobVerdict.Applied, JobVerdict.Refused), (retries[0].Change.Verdict, retries[1].Change.Verdict));
        Assert.Equal(first, (await SubmitAsync(JobUniqueness.Ended)).Existing);
        Assert.Equal(first, (await ClaimAsync()).Record.Id);
        await ActAsync(first, JobEvent.Succeeded, fence: 3);
        Assert.Equal(JobVerdict.Applied, (await ActAsync(second, JobEvent.RetriedByHand)).Change.Verdict);
        Assert.Equal(second, (await SubmitAsync(JobUniqueness.Retention)).Existing);
    }

    [Fact]
    public async Task A_job_that_holds_its_own_key_is_begun_again()
    {
        var job = await EndAsync(await SubmitAsync(JobUniqueness.Retention), JobEvent.Threw);
        Assert.Equal(JobVerdict.Applied, (await ActAsync(job, JobEvent.RetriedByHand)).Change.Verdict);
        Assert.Equal(job, (await SubmitAsync(JobUniqueness.Retention)).Existing);
    }

    [Fact]
    public async Task A_job_that_succeeded_is_repeated_as_a_new_one_although_another_one_holds_its_key()
    {
        var first = await EndAsync(await SubmitAsync(JobUniqueness.Ended), JobEvent.Succeeded);
        await SubmitAsync(JobUniqueness.Ended);
        Assert.Equal(JobVerdict.NewJob, (await ActAsync(first, JobEvent.RetriedByHand)).Change.Verdict);
    }

    [Fact]
    public async Task A_late_outcome_does_not_take_a_key_back()
    {
        var lost = await AcceptAsync(Job(idempotencyKey: Unique, uniqueUntil: JobUniqueness.Ended, starts: true));
        await ActAsync(lost.Id, JobEvent.OwnerLost, fence: 1);
        var second = await SubmitAsync(JobUniqueness.Ended);
        Assert.Null(second.Existing);
        Assert.Equal(JobVerdict.Late, (await ActAsync(lost.Id, JobEvent.Succeeded, fence: 1, payload: "late")).Change.Verdict);
        Assert.Equal(JobState.Succeeded, await StateAsync(lost.Id));
        Assert.Equal(second.Id, (await SubmitAsync(JobUniqueness.Ended)).Existing);
    }

    private async Task<NewJob> SubmitAsync(JobUniqueness until, ulong fingerprint = 0) => await AcceptAsync(Job(idempotencyKey: Unique, uniqueUntil: until, fingerprint: fingerprint));

    // A job that waits; or, to purge it, one that may have ended.
    private async Task<Guid> EndAsync(NewJob job, JobEvent end)
    {
        var record = await FindAsync(job.Id);
        if (end == JobEvent.Purged)
        {
            await CommitAsync(batch => batch.Actions.AddRange([Action(job.Id, JobEvent.CancelAsked), Action(job.Id, JobEvent.Purged)]));
            Assert.Null(await TryFindAsync(job.Id));
            return job.Id;
        }

        var fence = record.Status.Fence;
        if (end is not (JobEvent.CancelAsked or JobEvent.Expired))
        {
            Assert.Equal(job.Id, (await ClaimAsync()).Record.Id);
            fence++;
        }

        await ActAsync(job.Id, end, fence: fence);
        Assert.True((await FindAsync(job.Id)).Status.HasEnded);
        return job.Id;
    }

    [Fact]
    public async Task Where_no_new_job_is_to_be_stored_one_that_has_the_key_is_found_and_others_are_refused()
    {
        var first = await AcceptAsync(Job(idempotencyKey: "k"));
        var (same, other) = (Job(idempotencyKey: "k"), Job(idempotencyKey: "l"));
        (same.OnlyExisting, other.OnlyExisting) = (true, true);
        await AcceptAsync([same, other]);
        Assert.Equal((first.Id, false), (same.Existing, same.IsRefused));
        Assert.Equal((null, true), (other.Existing, other.IsRefused));
        Assert.Null(await TryFindAsync(other.Id));
    }
}
