using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Storage;

/// <summary>Submissions: what is kept of them, idempotency keys, jobs that start with their acceptance, and jobs that are due later.</summary>
public abstract class JobAcceptCompliance : JobItemCompliance
{
    public static TheoryData<string> Texts { get; } =
    [
        "plain", " spaces ", "emoji 🌊👩‍🚒", "'single' \"double\" `back`", "%_*?[]", "semi;colon--comment/**/", "Ünïcödé ß ı İ", "日本語", "\u202Eright to left", "tab\tline\r\nend",
        "a\\b\\u0000", "\uE000\uFFFD", new string('x', 200), string.Concat(Enumerable.Repeat("🌊", 100)),
    ];

    public static TheoryData<int> Sizes { get; } = [0, 1, 64 * 1024, (64 * 1024) + 1, 300 * 1024, 2 * 1024 * 1024];

    // ---- what is kept ----

    [Fact]
    public async Task All_that_was_submitted_is_read_back()
    {
        var parent = NextId();
        var job = new NewJob
        {
            Id = NextId(),
            Kind = Kind,
            Signature = ulong.MaxValue - 1,
            Arguments = Bytes("{}"),
            Submitted = Now.AddTicks(-1),
            Due = Now.AddTicks(1),
            Expires = Now.AddTicks(2),
            Priority = JobPriority.Low,
            Key = "tenant",
            Owner = "owner",
            Parent = parent,
            TraceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            TraceState = "a=b",
            Culture = "de-DE",
            IdempotencyKey = "k",
            UniqueUntil = JobUniqueness.Ended,
            Fingerprint = ulong.MaxValue,
        };
        await AcceptAsync(job);
        var expected = new JobRecord
        {
            Id = job.Id,
            Kind = Kind,
            Signature = ulong.MaxValue - 1,
            Status = new JobStatus { State = JobState.Scheduled, Due = Now.AddTicks(1) },
            Submitted = Now.AddTicks(-1),
            ScheduledFor = Now.AddTicks(1),
            Expires = Now.AddTicks(2),
            Priority = JobPriority.Low,
            Key = "tenant",
            Owner = "owner",
            Parent = parent,
            TraceParent = job.TraceParent,
            TraceState = "a=b",
            Culture = "de-DE",
        };
        Same(expected, await FindAsync(job.Id));
        Same(expected, Assert.Single(await ListAsync(new JobQuery())));
        SameCall(job, await CallAsync(job.Id));
        Assert.Equal((null, false, false, null), (job.Existing, job.IsKeyReused, job.IsRefused, job.Claimed));
    }

    [Fact]
    public async Task What_was_not_submitted_is_absent()
    {
        var job = await AcceptAsync();
        var record = await FindAsync(job.Id);
        Assert.Equal((null, null, null, null, null), (record.Owner, record.Parent, record.TraceParent, record.TraceState, record.Culture));
        Assert.Equal((null, null, null, null, 0, 0, JobPriority.Normal, ""), (record.Started, record.Ended, record.Expires, record.Progress, record.Items, record.Run, record.Priority, record.Key));
        Assert.True(record.Failure.IsEmpty);
        SameCall(job, await CallAsync(job.Id));
    }

    [Theory]
    [MemberData(nameof(Texts))]
    public async Task Text_of_any_kind_is_kept(string text)
    {
        var job = Job(kind: text, key: text, owner: text, idempotencyKey: text, starts: true);
        await AcceptAsync(job);
        var record = await FindAsync(job.Id);
        Assert.Equal((text, text, text), (record.Kind, record.Key, record.Owner));
        Same(record, job.Claimed!.Record);
        Assert.Equal(job.Id, (await AcceptAsync(Job(kind: text, owner: text, idempotencyKey: text))).Existing);
        Assert.Null((await AcceptAsync(Job(kind: text + "x", owner: text, idempotencyKey: text))).Existing);
        Assert.Equal(job.Id, Assert.Single(await ListAsync(new JobQuery { Kind = text, Key = text })).Id);
        Assert.Contains(new JobCount(text, JobState.Running, 1), await CountAsync());

        await CommitAsync(batch => batch.Progress.Add(new NewProgress(job.Id, 1, new JobProgress(0.5, text))));
        await ActAsync(job.Id, JobEvent.AskedForRetry, fence: 1, payload: text);
        record = await FindAsync(job.Id);
        Assert.Equal((text, text), (record.Progress?.Text, Text(record.Failure)));
        var claim = await ClaimAsync(1, Of(text));
        Assert.Equal((job.Id, text), (Assert.Single(claim.Jobs).Record.Id, claim.Kinds[0].Turn.Normal));
    }

    [Theory]
    [MemberData(nameof(Sizes))]
    public async Task Arguments_of_any_size_are_read_back(int length)
    {
        var arguments = Bytes(length);
        var (waits, starts) = (Job(arguments: arguments), Job("Other/Kind", starts: true, arguments: arguments));
        await AcceptAsync([waits, starts]);
        Same(arguments, starts.Claimed!.Arguments);
        Same(arguments, (await CallAsync(waits.Id)).Arguments);
        Same(arguments, (await ClaimAsync()).Arguments);
        Same(arguments, (await CallAsync(waits.Id)).Arguments);
    }

    [Fact]
    public async Task Arguments_are_copied_from_the_memory_of_the_caller()
    {
        var bytes = new byte[] { 1, 2, 3 };
        await AcceptAsync(Job(arguments: bytes));
        bytes[0] = 9;
        Same(new byte[] { 1, 2, 3 }, (await ClaimAsync()).Arguments);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(9_999_999)]
    [InlineData(-1)]
    public async Task Times_are_kept_to_the_tick_in_UTC(long ticks)
    {
        var (submitted, due, now) = (Now.AddTicks(ticks), Now.AddYears(30).AddTicks(ticks), Now.AddHours(1).AddTicks(ticks));
        var job = (await AcceptAsync(Job(submitted: submitted, due: due))).Id;
        await ActAsync(job, JobEvent.RetriedByHand, now: now);
        await ClaimAsync(now: now.AddTicks(1));
        await ActAsync(job, JobEvent.NotUnderstood, fence: 1, now: now.AddTicks(2));
        await ActAsync(job, JobEvent.CancelAsked, now: now.AddTicks(3));
        var record = await FindAsync(job);
        var attempt = Assert.Single(await AttemptsAsync(job));
        DateTimeOffset?[] times = [record.Submitted, record.Started, record.Ended, record.Status.NotUnderstoodSince, record.Status.Due, attempt.Started, attempt.Ended];
        Assert.Equal([submitted, now.AddTicks(1), now.AddTicks(3), now.AddTicks(2), now.AddTicks(2) + JobRules.NotUnderstoodPause, now.AddTicks(1), now.AddTicks(2)], times);
        Assert.All(times, static time => Assert.Equal(TimeSpan.Zero, time?.Offset));
    }

    [Fact]
    public async Task A_job_that_is_due_in_the_past_is_ready_and_keeps_its_time()
    {
        var job = await AcceptAsync(Job(due: Now.AddDays(-400)));
        Assert.Equal(new JobStatus { State = JobState.Ready, Due = Now.AddDays(-400) }, (await FindAsync(job.Id)).Status);
    }

    [Fact]
    public async Task A_thousand_jobs_are_accepted_in_one_commit()
    {
        var jobs = Enumerable.Range(0, 1_000).Select(index => Job(key: $"{index % 10}", arguments: Bytes($"{index}"), idempotencyKey: $"{index}")).ToArray();
        await AcceptAsync(jobs);
        Assert.Equal([new JobCount(Kind, JobState.Ready, 1_000)], await CountAsync());
        Same(Bytes("999"), (await CallAsync(jobs[999].Id)).Arguments);
        var again = Enumerable.Range(0, 1_000).Select(index => Job(idempotencyKey: $"{index}")).ToArray();
        await AcceptAsync(again);
        Assert.Equal(jobs.Select(static job => (Guid?)job.Id), again.Select(static job => job.Existing));
    }

    [Fact]
    public async Task A_commit_with_an_id_that_is_taken_applies_nothing()
    {
        var (taken, other, added) = (await AcceptAsync(), await AcceptAsync(Job("Other/Kind")), Job("Third/Kind"));
        var again = new NewJob { Id = taken.Id, Kind = Kind, Signature = 1, Arguments = Bytes("other"), Submitted = Now, Due = Now };
        var failure = await Assert.ThrowsAsync<JobStoreException>(() => CommitAsync(batch =>
        {
            batch.Actions.Add(Action(other.Id, JobEvent.CancelAsked));
            batch.Jobs.AddRange([added, again]);
            batch.Claims.Add(Claim(10, Of(Kind)));
        }));
        Assert.Equal((false, false), (failure.IsUnknown, failure.IsFinal));
        Assert.Equal((JobState.Ready, JobState.Ready), (await StateAsync(taken.Id), await StateAsync(other.Id)));
        Assert.Null(await TryFindAsync(added.Id));
        Same(Bytes("{\"year\":2026}"), (await CallAsync(taken.Id)).Arguments);

        // And the store still commits.
        Assert.Equal(taken.Id, (await ClaimAsync()).Record.Id);
    }

    // ---- idempotency keys ----

    [Fact]
    public async Task The_same_key_and_fingerprint_is_the_same_job()
    {
        var first = await AcceptAsync(Job(idempotencyKey: "k", fingerprint: 5));
        var second = Job(idempotencyKey: "k", fingerprint: 5, starts: true);
        var batch = await CommitAsync(batch => batch.Jobs.Add(second));
        Assert.Equal((first.Id, false, null), (second.Existing, second.IsKeyReused, second.Claimed));
        Assert.Empty(batch.ReadyKinds);
        Assert.Null(await TryFindAsync(second.Id));
        Assert.Equal([new JobCount(Kind, JobState.Ready, 1)], await CountAsync());
    }

    [Fact]
    public async Task The_same_key_with_another_fingerprint_is_reused_and_not_stored()
    {
        var first = await AcceptAsync(Job(idempotencyKey: "k", fingerprint: 5));
        var second = await AcceptAsync(Job(idempotencyKey: "k", fingerprint: ulong.MaxValue));
        Assert.Equal((first.Id, true), (second.Existing, second.IsKeyReused));
        Assert.Null(await TryFindAsync(second.Id));
    }

    [Fact]
    public async Task Of_two_equal_submissions_in_one_commit_the_second_gets_the_first()
    {
        NewJob[] jobs = [Job(idempotencyKey: "k", fingerprint: 5, starts: true), Job(idempotencyKey: "k", fingerprint: 5, starts: true), Job(idempotencyKey: "k", fingerprint: 6)];
        await AcceptAsync(jobs);
        Assert.Equal([(null, false), (jobs[0].Id, false), (jobs[0].Id, true)], jobs.Select(static job => (job.Existing, job.IsKeyReused)));
        Assert.Equal([true, false, false], jobs.Select(static job => job.Claimed is not null));
        Assert.Equal([new JobCount(Kind, JobState.Running, 1)], await CountAsync());
    }

    [Theory]
    [InlineData("Other/Kind", "owner", "k")]
    [InlineData("Reports/build", "owner", "k")]
    [InlineData(Kind, "other", "k")]
    [InlineData(Kind, "Owner", "k")]
    [InlineData(Kind, "", "k")]
    [InlineData(Kind, null, "k")]
    [InlineData(Kind, "owner", "K")]
    [InlineData(Kind, "owner", "k ")]
    [InlineData(Kind, "owner", "")]
    public async Task A_key_of_another_kind_or_owner_or_spelling_is_another_one(string kind, string? owner, string key)
    {
        await AcceptAsync(Job(owner: "owner", idempotencyKey: "k"));
        Assert.Null((await AcceptAsync(Job(kind, owner: owner, idempotencyKey: key))).Existing);
        Assert.NotNull((await AcceptAsync(Job(kind, owner: owner, idempotencyKey: key))).Existing);
    }

    [Fact]
    public async Task Jobs_without_a_key_are_never_the_same()
    {
        var jobs = new[] { Job(), Job(), Job(owner: "a"), Job(owner: "a") };
        await AcceptAsync(jobs);
        Assert.All(jobs, static job => Assert.Null(job.Existing));
        Assert.Equal([new JobCount(Kind, JobState.Ready, 4)], await CountAsync());
    }

    [Fact]
    public async Task A_key_without_an_owner_is_unique_too()
    {
        var first = await AcceptAsync(Job(idempotencyKey: "k"));
        Assert.Equal(first.Id, (await AcceptAsync(Job(idempotencyKey: "k"))).Existing);
    }

    [Fact]
    public async Task A_key_is_held_while_its_job_is_kept_and_free_after_its_purge()
    {
        var first = await AcceptAsync(Job(idempotencyKey: "k", starts: true));
        await ActAsync(first.Id, JobEvent.Threw, fence: 1);
        Assert.Equal(first.Id, (await AcceptAsync(Job(idempotencyKey: "k"))).Existing);
        Assert.Equal(JobVerdict.Applied, (await ActAsync(first.Id, JobEvent.RetriedByHand)).Change.Verdict);
        await ActAsync(first.Id, JobEvent.CancelAsked);

        // A purge goes before what is accepted in the same commit.
        var second = Job(idempotencyKey: "k");
        await CommitAsync(batch =>
        {
            batch.Actions.Add(Action(first.Id, JobEvent.Purged));
            batch.Jobs.Add(second);
        });
        Assert.Null(second.Existing);
        Assert.Equal(second.Id, (await AcceptAsync(Job(idempotencyKey: "k"))).Existing);
    }

    // ---- start with acceptance ----

    [Fact]
    public async Task A_job_may_start_with_its_acceptance()
    {
        var job = Job(starts: true, key: "a");
        var batch = await CommitAsync(batch => batch.Jobs.Add(job));
        Assert.NotNull(job.Claimed);
        Assert.Equal(new JobStatus { State = JobState.Running, Fence = 1, IsOpen = true, Starts = 1, Due = Now }, job.Claimed.Record.Status);
        Assert.Equal(Now, job.Claimed.Record.Started);
        Same(await FindAsync(job.Id), job.Claimed.Record);
        Same(job.Arguments, job.Claimed.Arguments);

        // It was not ready in between.
        Assert.Empty(batch.ReadyKinds);
        Assert.Empty((await ClaimAsync(10, Of(Kind))).Jobs);
    }

    [Fact]
    public async Task A_job_that_is_due_later_does_not_start_with_its_acceptance()
    {
        var job = Job(due: Now.AddTicks(1), starts: true);
        var batch = await CommitAsync(batch => batch.Jobs.Add(job));
        Assert.Null(job.Claimed);
        Assert.Equal(JobState.Scheduled, await StateAsync(job.Id));
        Assert.Equal(Now.AddTicks(1), batch.NextDue);
    }

    // ---- jobs that are due later ----

    [Fact]
    public async Task A_job_becomes_ready_at_its_time_and_not_before()
    {
        var job = (await AcceptAsync(Job(due: Now.AddSeconds(1)))).Id;
        var early = await CommitAsync(static batch => batch.MovesDue = true, Now.AddSeconds(1).AddTicks(-1));
        Assert.Empty(early.ReadyKinds);
        Assert.Equal(Now.AddSeconds(1), early.NextDue);
        Assert.Empty((await ClaimAsync(1, Of(Kind))).Jobs);

        var due = await CommitAsync(static batch => batch.MovesDue = true, Now.AddSeconds(1));
        Assert.Equal([Kind], due.ReadyKinds);
        Assert.Null(due.NextDue);
        Assert.Equal(new JobStatus { State = JobState.Ready, Due = Now.AddSeconds(1) }, (await FindAsync(job)).Status);
        Assert.Equal(job, (await ClaimAsync()).Record.Id);
    }

    [Fact]
    public async Task A_commit_that_does_not_move_due_jobs_leaves_them()
    {
        var job = (await AcceptAsync(Job(due: Now.AddSeconds(1)))).Id;
        var claim = Claim(1, Of(Kind));
        var batch = await CommitAsync(batch => batch.Claims.Add(claim), Now.AddSeconds(2));
        Assert.Empty(claim.Jobs);
        Assert.Equal(Now.AddSeconds(1), batch.NextDue);
        Assert.Equal(JobState.Scheduled, await StateAsync(job));
    }

    [Fact]
    public async Task Jobs_become_ready_in_the_order_of_their_times()
    {
        var jobs = Enumerable.Range(0, 5).Select(index => Job(due: Now.AddSeconds(1 + (index * 3 % 5)))).ToArray();
        await AcceptAsync(jobs);
        await CommitAsync(static batch => batch.MovesDue = true, Now.AddSeconds(10));
        var claim = await ClaimAsync(10, Of(Kind));
        Assert.Equal(jobs.OrderBy(static job => job.Due).Select(static job => job.Id), claim.Jobs.Select(static job => job.Record.Id));
    }

    [Fact]
    public async Task A_job_that_becomes_ready_goes_behind_those_that_are()
    {
        var (later, now) = (Job(due: Now.AddSeconds(1)), Job());
        await AcceptAsync([later, now]);
        await CommitAsync(static batch => batch.MovesDue = true, Now.AddSeconds(1));
        Assert.Equal([now.Id, later.Id], (await ClaimAsync(2, Of(Kind))).Jobs.Select(static job => job.Record.Id));
    }

    [Fact]
    public async Task A_commit_moves_a_thousand_due_jobs_at_most_the_earliest_first()
    {
        var jobs = Enumerable.Range(0, 1_500).Select(index => Job(due: Now.AddSeconds(1 + (index * 7 % 1_500)))).ToArray();
        await AcceptAsync(jobs);
        var first = await CommitAsync(static batch => batch.MovesDue = true, Now.AddHours(1));
        Assert.Equal([new JobCount(Kind, JobState.Scheduled, 500), new JobCount(Kind, JobState.Ready, 1_000)], await CountAsync());
        Assert.Equal(Now.AddSeconds(1_001), first.NextDue);
        var second = await CommitAsync(static batch => batch.MovesDue = true, Now.AddHours(1));
        Assert.Null(second.NextDue);
        Assert.Equal(jobs.OrderBy(static job => job.Due).Select(static job => job.Id), (await ClaimAsync(2_000, Of(Kind))).Jobs.Select(static job => job.Record.Id));
    }

    [Fact]
    public async Task The_next_time_is_filled_in_by_every_commit()
    {
        var jobs = new[] { Job(due: Now.AddHours(2)), Job(due: Now.AddHours(1)), Job("Other/Kind", due: Now.AddHours(3)) };
        Assert.Equal(Now.AddHours(1), (await CommitAsync(batch => batch.Jobs.AddRange(jobs))).NextDue);
        Assert.Equal(Now.AddHours(1), (await CommitAsync(batch => batch.Jobs.Add(Job("Third/Kind")))).NextDue);
        Assert.Equal(Now.AddHours(2), (await CommitAsync(batch => batch.Actions.Add(Action(jobs[1].Id, JobEvent.CancelAsked)))).NextDue);
        Assert.Equal(Now.AddHours(3), (await CommitAsync(batch => batch.Actions.Add(Action(jobs[0].Id, JobEvent.RetriedByHand)))).NextDue);
        Assert.Equal(Now.AddHours(3), (await CommitAsync(batch => batch.Progress.Add(new NewProgress(jobs[0].Id, 1, default)))).NextDue);
        Assert.Null((await CommitAsync(batch => batch.Actions.Add(Action(jobs[2].Id, JobEvent.Expired)))).NextDue);
    }

    [Fact]
    public async Task A_job_that_waits_for_its_next_attempt_becomes_ready_after_the_pause()
    {
        var job = await StartAsync();
        var batch = await CommitAsync(batch => batch.Actions.Add(Action(job, JobEvent.Threw, Idempotent, fence: 1)));
        var due = Now + JobRules.Backoff(Idempotent, 1, 0.5);
        Assert.Equal(due, batch.NextDue);
        Assert.Empty(batch.ReadyKinds);
        Assert.Equal([Kind], (await CommitAsync(static batch => batch.MovesDue = true, due)).ReadyKinds);
        Assert.Equal((job, 2), ((await ClaimAsync()).Record.Id, (await FindAsync(job)).Status.Fence));
    }

    private static void SameCall(NewJob expected, NewJob actual)
    {
        Same(expected.Arguments, actual.Arguments);
        Assert.Equal(
            (expected.Id, expected.Kind, expected.Signature, expected.Submitted, expected.Priority, expected.Key, expected.Owner),
            (actual.Id, actual.Kind, actual.Signature, actual.Submitted, actual.Priority, actual.Key, actual.Owner));
        Assert.Equal(
            (expected.Parent, expected.TraceParent, expected.TraceState, expected.Culture),
            (actual.Parent, actual.TraceParent, actual.TraceState, actual.Culture));
        Assert.Equal(
            (expected.Due, expected.Expires, expected.IdempotencyKey, expected.UniqueUntil, expected.Fingerprint),
            (actual.Due, actual.Expires, actual.IdempotencyKey, actual.UniqueUntil, actual.Fingerprint));
    }
}
