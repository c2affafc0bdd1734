using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Storage;

/// <summary>What every store does alike that keeps jobs when its process ends.</summary>
public abstract class DurableJobStoreCompliance : JobStoreCompliance
{
    [Fact]
    public void The_store_says_that_it_is_durable() => Assert.True(Store.IsDurable);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_store_that_is_opened_again_has_all_that_was_committed(bool killed)
    {
        // 1. Jobs in all states, small and large.
        var succeeded = await StartAsync("a");
        await AppendAsync(succeeded, 1, Bytes("0"), Bytes(1024 * 1024), Bytes("2"));
        await ActAsync(succeeded, JobEvent.AskedForRetry, fence: 1, payload: "not yet");
        await ClaimAsync("a");
        await CommitAsync(batch => batch.Progress.Add(new NewProgress(succeeded, 2, new JobProgress(0.5, "half"))));
        await ActAsync(succeeded, JobEvent.Succeeded, 2, Bytes(2 * 1024 * 1024));

        var failed = await StartAsync("a");
        await ActAsync(failed, JobEvent.Threw, 1, Bytes(300 * 1024));
        var edited = Job("b", key: "key", owner: "owner", idempotencyKey: "k", fingerprint: 5, due: Now.AddHours(1));
        await AcceptAsync([edited, Job("b", due: Now.AddHours(2)), Job("c"), Job("d", starts: true)]);
        await EditAsync(edited.Id, Bytes(300 * 1024, seed: 2), 9);
        var cancelled = (await AcceptAsync(Job("e"))).Id;
        await ActAsync(cancelled, JobEvent.CancelAsked);

        var (records, counts) = (await ListAsync(new JobQuery()), await CountAsync());
        var attempts = await AttemptsAsync(succeeded);
        Assert.Equal(7, records.Count);

        // 2. Twice: opening it changes nothing.
        for (var time = 0; time < 2; time++)
        {
            await ReopenAsync(killed);
            Assert.All(records.Zip(await ListAsync(new JobQuery())), static pair => Same(pair.First, pair.Second));
            Assert.Equal(counts, await CountAsync());
            Same(Bytes(2 * 1024 * 1024), await ResultAsync(succeeded));
            var items = await ItemsAsync(succeeded);
            Assert.Equal(("0", "2", 3), (Text(items[0]), Text(items[2]), items.Count));
            Same(Bytes(1024 * 1024), items[1]);
            Assert.Equal(attempts[0] with { Failure = default }, Assert.Single(await AttemptsAsync(succeeded)) with { Failure = default });
            Same(Bytes(300 * 1024), Assert.Single(await AttemptsAsync(failed)).Failure);
            Same(Bytes(300 * 1024, seed: 2), (await CallAsync(edited.Id)).Arguments);
            Assert.Equal(9UL, (await CallAsync(edited.Id)).Signature);
        }

        // 3. The key is held.
        var again = await AcceptAsync(Job("b", owner: "owner", idempotencyKey: "k", fingerprint: 5));
        Assert.Equal((edited.Id, false), (again.Existing, again.IsKeyReused));
    }

    [Fact]
    public async Task A_killed_store_has_lost_no_commit_that_returned()
    {
        var jobs = new List<Guid>();
        for (var time = 0; time < 20; time++)
        {
            jobs.Add((await AcceptAsync()).Id);
            var claimed = await ClaimAsync();
            await ReopenAsync(killed: true);
            Assert.Equal((jobs[^1], 1), (claimed.Record.Id, claimed.Record.Status.Fence));
            await ActAsync(jobs[^1], JobEvent.Succeeded, fence: 1, payload: $"{time}");
            await ReopenAsync(killed: true);
            Same(Bytes($"{time}"), await ResultAsync(jobs[^1]));
        }

        Assert.Equal([new JobCount(Kind, JobState.Succeeded, 20)], await CountAsync());
    }

    // ---- what is found ----

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Attempts_of_an_earlier_replica_are_lost(bool killed)
    {
        var (first, second, cancelled, timedOut) = (await StartAsync("a"), await StartAsync("b"), await StartAsync("c"), await StartAsync("d"));
        await ActAsync(second, JobEvent.NotStarted, fence: 1);
        await ClaimAsync("b");
        await ActAsync(cancelled, JobEvent.CancelAsked);
        await ActAsync(timedOut, JobEvent.TimedOut);
        await ActAsync(await StartAsync("e"), JobEvent.Succeeded, fence: 1);
        await AcceptAsync([Job("f"), Job("f", due: Now.AddHours(1))]);

        await ReopenAsync(killed);
        Assert.Equal(
            [new LostAttempt(first, "a", 1, 0), new(second, "b", 2, 0), new(cancelled, "c", 1, 0), new(timedOut, "d", 1, 0)],
            Content.Lost.OrderBy(static lost => lost.Kind, StringComparer.Ordinal));

        // Opening alone is no event of a job.
        Assert.Equal(JobState.Running, await StateAsync(first));
        Assert.Empty(await AttemptsAsync(first));
    }

    [Fact]
    public async Task An_attempt_that_was_presumed_lost_is_not_lost_again()
    {
        var (once, idempotent) = (await StartAsync("a"), await StartAsync("b"));
        await ActAsync(once, JobEvent.OwnerLost, fence: 1);
        await ActAsync(idempotent, JobEvent.OwnerLost, Idempotent, fence: 1);
        await ReopenAsync();
        Assert.Empty(Content.Lost);
        Assert.Equal(["b"], Content.ReadyKinds);

        // But its outcome still counts.
        Assert.Equal(JobVerdict.Late, (await ActAsync(once, JobEvent.Succeeded, fence: 1, payload: "late")).Change.Verdict);
        Assert.Equal(JobVerdict.Late, (await ActAsync(idempotent, JobEvent.Succeeded, fence: 1, payload: "late")).Change.Verdict);
        await ReopenAsync();
        Same(Bytes("late"), await ResultAsync(once));
    }

    [Fact]
    public async Task An_attempt_of_the_replica_that_opened_the_store_again_is_lost_with_it_too()
    {
        var job = (await AcceptAsync()).Id;
        for (var fence = 1; fence <= 3; fence++)
        {
            await ReopenAsync();
            Assert.Empty(Content.Lost);
            await ClaimAsync();
            await ReopenAsync(killed: true);
            Assert.Equal([new LostAttempt(job, Kind, fence, 0)], Content.Lost);
            Assert.Equal(JobVerdict.Applied, (await ActAsync(job, JobEvent.OwnerLost, Idempotent, fence)).Change.Verdict);
        }
    }

    [Fact]
    public async Task The_kinds_that_are_ready_are_found_once_each()
    {
        await AcceptAsync([Job("a"), Job("a"), Job("b", key: "k"), Job("c", due: Now.AddHours(1)), Job("d", starts: true), Job("ä🌊")]);
        var cancelled = (await AcceptAsync(Job("e"))).Id;
        await ActAsync(cancelled, JobEvent.CancelAsked);
        await ReopenAsync();
        Assert.Equal(["a", "b", "ä🌊"], Content.ReadyKinds.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task The_next_time_is_found()
    {
        await AcceptAsync([Job(due: Now.AddHours(2)), Job(due: Now.AddHours(1).AddTicks(1)), Job()]);
        await ReopenAsync();
        Assert.Equal(Now.AddHours(1).AddTicks(1), Content.NextDue);
        await CommitAsync(static batch => batch.MovesDue = true, Now.AddDays(1));
        await ReopenAsync();
        Assert.Null(Content.NextDue);
    }

    [Fact]
    public async Task An_empty_store_stays_empty()
    {
        await ReopenAsync();
        await ReopenAsync(killed: true);
        Assert.Empty(Content.Lost);
        Assert.Empty(Content.ReadyKinds);
        Assert.Null(Content.NextDue);
        Assert.Empty(await ListAsync(new JobQuery()));
    }

    // ---- what continues ----

    [Fact]
    public async Task The_order_of_jobs_that_are_ready_stays()
    {
        var jobs = new[] { Job(key: "a"), Job(key: "b"), Job(key: "a"), Job(key: "a", priority: JobPriority.High) };
        await AcceptAsync(jobs);
        var returned = (await ClaimAsync(1, Of(Kind))).Jobs[0].Record.Id;
        await ActAsync(returned, JobEvent.NotStarted, fence: 1);
        await ReopenAsync();
        var added = await AcceptAsync(Job(key: "a"));
        Assert.Equal([jobs[3].Id, jobs[1].Id, jobs[0].Id, jobs[2].Id, added.Id], (await ClaimAsync(10, Of(Kind, afterKey: "a"))).Jobs.Select(static job => job.Record.Id));
    }

    [Fact]
    public async Task A_job_that_became_ready_last_is_last_after_the_store_is_opened_again()
    {
        var (first, second) = (await StartAsync(), await AcceptAsync());
        await ActAsync(first, JobEvent.NotStarted, fence: 1);
        await ReopenAsync(killed: true);
        var third = await AcceptAsync();
        Assert.Equal([second.Id, first, third.Id], (await ClaimAsync(10, Of(Kind))).Jobs.Select(static job => job.Record.Id));
    }

    [Fact]
    public async Task Fences_and_items_continue()
    {
        var job = await StartAsync();
        await AppendAsync(job, 1, Bytes("0"));
        await ReopenAsync(killed: true);
        Assert.Equal(2, (await AppendAsync(job, 1, Bytes("1"))).Count);
        await ActAsync(job, JobEvent.OwnerLost, Idempotent, fence: 1);
        Assert.Equal(2, (await ClaimAsync()).Record.Status.Fence);
        Assert.Equal(3, (await AppendAsync(job, 2, Bytes("2"))).Count);
        await ReopenAsync();
        Assert.Equal(["0", "1", "2"], (await ItemsAsync(job)).Select(Text));
        Assert.Equal(JobVerdict.Stale, (await AppendAsync(job, 1, Bytes("stale"))).Verdict);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_is_purged_or_dropped_does_not_come_back(bool killed)
    {
        var (gone, again) = (await AcceptAsync(Job(idempotencyKey: "k", starts: true)), await StartAsync("a"));
        await AppendAsync(gone.Id, 1, Bytes(300 * 1024));
        await ActAsync(gone.Id, JobEvent.Succeeded, 1, Bytes(300 * 1024));
        await ActAsync(gone.Id, JobEvent.Purged);
        await AppendAsync(again, 1, Bytes("0"));
        await ActAsync(again, JobEvent.Threw, fence: 1);
        await ActAsync(again, JobEvent.RetriedByHand);
        await ReopenAsync(killed);
        Assert.Null(await TryFindAsync(gone.Id));
        Assert.Null(await ResultAsync(gone.Id));
        Assert.Empty(await ItemsAsync(gone.Id));
        Assert.Empty(await ItemsAsync(again));
        Assert.Equal((0, 1, null), ((await FindAsync(again)).Items, (await FindAsync(again)).Run, (await FindAsync(again)).Ended));
        Assert.Null((await AcceptAsync(Job(idempotencyKey: "k"))).Existing);
    }

    [Fact]
    public async Task A_commit_that_failed_leaves_nothing_behind()
    {
        var taken = await AcceptAsync();
        var added = Job();
        await Assert.ThrowsAsync<JobStoreException>(() => CommitAsync(batch => batch.Jobs.AddRange(
        [
            added,
            new NewJob { Id = taken.Id, Kind = Kind, Signature = 1, Arguments = Bytes(300 * 1024), Submitted = Now, Due = Now },
        ])));
        await ReopenAsync(killed: true);
        Assert.Null(await TryFindAsync(added.Id));
        Assert.Equal([new JobCount(Kind, JobState.Ready, 1)], await CountAsync());
        Assert.Equal(taken.Id, (await ClaimAsync()).Record.Id);
    }

    // ---- limits, pauses and times ----

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Limits_count_what_an_earlier_process_has_started(bool killed)
    {
        var running = await AcceptAsync(Job(key: "a", starts: true));
        await AcceptAsync(WithKeys("a", "b"));
        await ReopenAsync(killed);
        Assert.Empty((await ClaimAsync(5, Of(Kind, maxTotal: 1))).Jobs);
        Assert.Equal(["b"], Keys(await ClaimAsync(5, Of(Kind, maxPerKey: 1))));
        await ReopenAsync(killed);
        await ActAsync(running.Id, JobEvent.OwnerLost, fence: 1);
        Assert.Equal(["a"], Keys(await ClaimAsync(5, Of(Kind, maxPerKey: 1, maxTotal: 2))));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_pause_stays_until_its_end(bool killed)
    {
        Assert.Empty(Content.PausedKinds);
        await AcceptAsync([Job("a"), Job("b"), Job("c")]);
        await CommitAsync(static batch => batch.Pauses.AddRange([new("a", true), new("b", true), new("new", true)]));
        await PauseAsync("b", isPaused: false);
        await ReopenAsync(killed);
        Assert.Equal(["a", "new"], Content.PausedKinds.Order(StringComparer.Ordinal));
        Assert.Equal(["a", "b", "c"], Content.ReadyKinds.Order(StringComparer.Ordinal));
        Assert.Equal(["b", "c"], Kinds(await ClaimAsync(5, Of("a"), Of("b"), Of("c"))));
        Assert.Null((await AcceptAsync(Job("new", starts: true))).Claimed);
        Assert.Equal(["a"], (await PauseAsync("a", isPaused: false)).ReadyKinds);
        await ReopenAsync(killed);
        Assert.Equal(["new"], Content.PausedKinds);
        Assert.Equal(["a"], Kinds(await ClaimAsync(5, Of("a"), Of("new"))));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_job_expires_in_a_later_process_unless_it_has_begun(bool killed)
    {
        var (waits, runs, returned) = (Job(expires: Now.AddHours(2)), Job(expires: Now.AddHours(1), starts: true), Job(expires: Now.AddHours(1), starts: true));
        await AcceptAsync([waits, runs, returned]);
        await ReopenAsync(killed);
        Assert.Equal(Now.AddHours(2), Content.NextDue);
        await CommitAsync(batch => batch.Actions.AddRange([Action(runs.Id, JobEvent.OwnerLost, Idempotent, fence: 1), Action(returned.Id, JobEvent.NotStarted, fence: 1)]));
        await ReopenAsync(killed);
        Assert.Equal(Now.AddHours(1), Content.NextDue);
        Assert.Equal([new(returned.Id, Kind), new ExpiredJob(waits.Id, Kind)], (await MoveAsync(Now.AddHours(2))).Expired);
        Assert.Equal(JobState.Ready, await StateAsync(runs.Id));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Idempotency_keys_stay_as_long_as_their_submission_said(bool killed)
    {
        var (kept, open) = (Job(idempotencyKey: "kept", starts: true), Job(idempotencyKey: "open", uniqueUntil: JobUniqueness.Ended));
        var ended = Job(idempotencyKey: "ended", uniqueUntil: JobUniqueness.Ended, starts: true);
        await AcceptAsync([kept, open, ended]);
        await CommitAsync(batch => batch.Actions.AddRange([Action(kept.Id, JobEvent.Threw, fence: 1), Action(ended.Id, JobEvent.Threw, fence: 1)]));
        await ReopenAsync(killed);
        NewJob[] again = [Again("kept"), Again("open"), Again("ended"), Again("ended")];
        await AcceptAsync(again);
        Assert.Equal([kept.Id, open.Id, null, again[2].Id], again.Select(static job => job.Existing));
        await ReopenAsync(killed);
        Assert.Equal(JobVerdict.Refused, (await ActAsync(ended.Id, JobEvent.RetriedByHand)).Change.Verdict);
        Assert.Equal(JobVerdict.Applied, (await ActAsync(kept.Id, JobEvent.RetriedByHand)).Change.Verdict);

        NewJob Again(string key) => Job(idempotencyKey: key, uniqueUntil: JobUniqueness.Ended);
    }

    // ---- schedules ----

    [Fact]
    public async Task An_occurrence_and_its_job_are_kept_together()
    {
        Assert.False(Content.HasSchedules);
        await DeclareAsync(Declaration());
        var next = First;
        for (var time = 0; time < 10; time++)
        {
            // 1. What fails leaves neither.
            var job = Job(due: next);
            await Assert.ThrowsAsync<JobStoreException>(() => CommitAsync(batch => batch.ScheduleChanges.AddRange([Change(next, next.AddHours(1), job), Change(next.AddHours(1), null, job)])));
            await ReopenAsync(killed: time % 2 == 0);
            Assert.True(Content.HasSchedules);
            Assert.Equal(next, (await ScheduleAsync()).Next);
            Assert.Null(await TryFindAsync(job.Id));

            // 2. What is committed leaves both.
            var change = await ChangeAsync(next, next.AddHours(1), job);
            await ReopenAsync(killed: time % 2 == 1);
            Assert.Equal(change.Record, await ScheduleAsync());
            Assert.Equal((next.AddHours(1), next, job.Id), (change.Record!.Next, change.Record.LastDue, change.Record.LastJob));
            Assert.Equal(job.Id, (await FindAsync(job.Id)).Id);
            Assert.False((await ChangeAsync(next, next.AddHours(1), Job(due: next))).IsApplied);
            next = next.AddHours(1);
        }

        Assert.Equal([new JobCount(Kind, JobState.Ready, 10)], await CountAsync());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Schedules_stay_as_they_are(bool killed)
    {
        await DeclareAsync(Declaration("a", first: First.AddTicks(1)), Declaration("b", hasFirst: false), Declaration("c", source: JobScheduleSource.Configuration), Declaration("d"));
        await ChangeAsync(First, Second, Job(due: First), name: "c");
        await CommitAsync(static batch => batch.ScheduleChanges.Add(new ScheduleChange { Name = "d", Expected = First, Next = First, IsPaused = true }));
        await DeclareAsync(Now.AddTicks(3), Declaration("b", hasFirst: false), Declaration("c", source: JobScheduleSource.Configuration), Declaration("d"));
        var before = await SchedulesAsync();
        Assert.Equal([Now.AddTicks(3), null, null, null], before.Select(static schedule => schedule.UndeclaredSince));
        await ReopenAsync(killed);
        Assert.Equal(before, await SchedulesAsync());

        // A pause, and since when one is not declared, count on.
        Assert.False((await ChangeAsync(First, Second, null, name: "d")).IsApplied);
        await DeclareAsync(Now.AddTicks(4).AddDays(1), Declaration("d"));
        Assert.Equal(["b", "c", "d"], (await SchedulesAsync()).Select(static schedule => schedule.Name));
    }
}
