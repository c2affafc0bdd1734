using Weir.Jobs.Rules;
using Weir.Jobs.Sqlite;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Sqlite;

/// <summary>What is accepted when there is no space left, and what still is completed.</summary>
public sealed class SqliteSpaceTests : SqliteFixture
{
    [Fact]
    public async Task Jobs_are_refused_before_the_disk_is_full_and_outcomes_are_not()
    {
        var free = 64L * 1024 * 1024;
        await using var store = await OpenAsync(new SqliteJobStore(Files.File, StoreDirectory.OwnerWait, TimeProvider.System) { Free = _ => free });
        var running = await AcceptAsync(store, Job(starts: true));
        Assert.False(running.IsRefused);
        free--;
        await Task.Delay(1_100, Stop);
        var refused = Job(starts: true);
        var batch = await CommitAsync(store, batch =>
        {
            batch.Jobs.Add(refused);
            batch.Actions.Add(Action(running.Id, JobEvent.Succeeded, "result"));
        });
        Assert.True(refused.IsRefused);
        Assert.Null(refused.Claimed);
        Assert.Equal(JobVerdict.Applied, batch.Actions[0].Change.Verdict);
        Assert.Null(await store.FindAsync(refused.Id, Stop));

        free++;
        await Task.Delay(1_100, Stop);
        Assert.False((await AcceptAsync(store, Job())).IsRefused);
    }

    [Fact]
    public async Task A_file_that_may_not_grow_refuses_jobs_and_takes_the_outcomes_of_the_same_commit()
    {
        var store = await OpenAsync(new SqliteJobStore(Files.File, StoreDirectory.OwnerWait, TimeProvider.System) { MostPages = 60 });
        var running = await AcceptAsync(store, Job(starts: true));
        await AcceptAsync(store, Job(key: "b"));
        var large = Job(new string('x', 300_000));
        var action = Action(running.Id, JobEvent.Succeeded, "result");
        var claim = new JobClaim { Slots = 5, Kinds = [new KindClaim { Kind = Kind, Slots = 5, Turn = new JobTurn(0, null, "a", null) }] };
        var batch = await CommitAsync(store, batch =>
        {
            batch.Actions.Add(action);
            batch.Jobs.Add(large);
            batch.Claims.Add(claim);
        });
        Assert.True(large.IsRefused);
        Assert.Equal(JobVerdict.Applied, action.Change.Verdict);
        Assert.Equal("b", Assert.Single(claim.Jobs).Record.Key);
        Assert.Empty(batch.ReadyKinds);
        Assert.Equal("result", Text(await store.ReadResultAsync(running.Id, Stop)));
        await store.DisposeAsync();
        Assert.Equal("ok", Query("PRAGMA integrity_check"));
    }

    [Fact]
    public async Task A_commit_for_which_there_is_no_space_applies_nothing_and_the_next_one_does()
    {
        await using var store = await OpenAsync(new SqliteJobStore(Files.File, StoreDirectory.OwnerWait, TimeProvider.System) { MostPages = 60 });
        var running = await AcceptAsync(store, Job(starts: true));
        var error = await Assert.ThrowsAsync<JobStoreException>(() => ActAsync(store, Action(running.Id, JobEvent.Succeeded, new string('x', 300_000))));
        Assert.Equal((false, false), (error.IsUnknown, error.IsFinal));
        Assert.Equal(JobState.Running, (await store.FindAsync(running.Id, Stop))!.Status.State);
        await ActAsync(store, Action(running.Id, JobEvent.Succeeded, "result"));
        Assert.Equal(JobState.Succeeded, (await store.FindAsync(running.Id, Stop))!.Status.State);
    }

    [Fact]
    public async Task A_commit_that_cannot_be_applied_leaves_no_kind_behind()
    {
        await using var store = await OpenAsync();
        var first = await AcceptAsync(store, Job());
        var other = new NewJob { Id = NextId(), Kind = "Other/Kind", Signature = 1, Arguments = default, Submitted = Now, Due = Now };
        await Assert.ThrowsAsync<JobStoreException>(() => CommitAsync(store, batch => batch.Jobs.AddRange([other, first])));
        Assert.Null(await store.FindAsync(other.Id, Stop));
        await AcceptAsync(store, new NewJob { Id = NextId(), Kind = "A/Third", Signature = 1, Arguments = default, Submitted = Now, Due = Now });
        await AcceptAsync(store, other);
        Assert.Equal(["A/Third", "Other/Kind", Kind], (await store.CountAsync(Stop)).Select(static count => count.Kind).Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task An_occurrence_whose_job_has_no_space_stays_the_next_one_of_its_schedule()
    {
        var store = await OpenAsync(new SqliteJobStore(Files.File, StoreDirectory.OwnerWait, TimeProvider.System) { Free = static _ => 0 });
        await CommitAsync(store, static batch => batch.Schedules = [Daily("a"), Daily("b"), Daily("c")]);
        var before = await store.ListSchedulesAsync(Stop);
        ScheduleChange[] changes = [Take("a", Job()), Take("b", null), new() { Name = "c", Expected = Now, Next = Now, IsPaused = true }];
        var batch = await CommitAsync(store, batch => batch.ScheduleChanges.AddRange(changes));
        Assert.Equal([false, true, true], changes.Select(static change => change.IsApplied));
        Assert.True(changes[0].Job!.IsRefused);
        Assert.Empty(batch.ReadyKinds);
        Assert.Equal([before[0], before[1] with { Next = Now.AddDays(1) }, before[2] with { IsPaused = true }], await store.ListSchedulesAsync(Stop));
        Assert.Equal(before[0], changes[0].Record);
        Assert.Null(await store.FindAsync(changes[0].Job!.Id, Stop));
        await store.DisposeAsync();

        await using var next = await OpenAsync();
        var again = Take("a", Job());
        await CommitAsync(next, batch => batch.ScheduleChanges.Add(again));
        Assert.Equal((true, Now.AddDays(1), again.Job!.Id), (again.IsApplied, again.Record!.Next, again.Record.LastJob));
    }

    [Fact]
    public async Task A_file_that_may_not_grow_takes_no_occurrence_and_the_outcomes_of_the_same_commit()
    {
        await using var store = await OpenAsync(new SqliteJobStore(Files.File, StoreDirectory.OwnerWait, TimeProvider.System) { MostPages = 70 });
        var running = await AcceptAsync(store, Job(starts: true));
        await CommitAsync(store, static batch => batch.Schedules = [Daily("a"), Daily("b")]);
        var action = Action(running.Id, JobEvent.Succeeded, "result");

        // The second one is left out until the third one shows that there is no space: then none has its job.
        ScheduleChange[] changes =
        [
            Take("a", Job()), new() { Name = "a", Expected = Now.AddDays(1), Next = null, Job = Job(), SkipsWhileOpen = true }, Take("b", Job(new string('x', 300_000))),
        ];
        await CommitAsync(store, batch =>
        {
            batch.Actions.Add(action);
            batch.ScheduleChanges.AddRange(changes);
        });
        Assert.All(changes, static change => Assert.Equal((false, false, Now), (change.IsApplied, change.IsSkipped, change.Record!.Next)));
        Assert.Equal([true, false, true], changes.Select(static change => change.Job!.IsRefused));
        Assert.Equal(JobVerdict.Applied, action.Change.Verdict);
        Assert.All(await store.ListSchedulesAsync(Stop), static schedule => Assert.Equal((Now, null), (schedule.Next, schedule.LastJob)));

        // What cannot be stored at all was not applied either.
        var last = new ScheduleChange { Name = "a", Expected = Now, Next = null };
        await Assert.ThrowsAsync<JobStoreException>(() => CommitAsync(store, batch =>
        {
            batch.ScheduleChanges.Add(last);
            batch.Jobs.Add(new NewJob { Id = running.Id, Kind = Kind, Signature = 1, Arguments = default, Submitted = Now, Due = Now });
        }));
        Assert.Equal((false, null), (last.IsApplied, last.Record));
    }

    [Fact]
    public async Task A_commit_for_which_there_is_no_space_leaves_a_pause_as_it_was()
    {
        await using var store = await OpenAsync(new SqliteJobStore(Files.File, StoreDirectory.OwnerWait, TimeProvider.System) { MostPages = 70 });
        var running = await AcceptAsync(store, Job(starts: true));
        var waiting = await AcceptAsync(store, Job());
        await Assert.ThrowsAsync<JobStoreException>(() => CommitAsync(store, batch =>
        {
            batch.Pauses.AddRange([new KindPause(Kind, true), new KindPause("Other/Kind", true)]);
            batch.Actions.Add(Action(running.Id, JobEvent.Succeeded, new string('x', 300_000)));
        }));
        Assert.Equal(waiting.Id, Assert.Single((await ClaimAsync(store, 5)).Jobs).Record.Id);
        Assert.NotNull((await AcceptAsync(store, new NewJob { Id = NextId(), Kind = "Other/Kind", Signature = 1, Arguments = default, Submitted = Now, Due = Now, Starts = true })).Claimed);
    }

    private static ScheduleDeclaration Daily(string name) => new() { Name = name, Kind = Kind, Cron = "@daily", TimeZone = "UTC", Source = JobScheduleSource.Code, First = Now };

    private static ScheduleChange Take(string name, NewJob? job) => new() { Name = name, Expected = Now, Next = Now.AddDays(1), Job = job };
}
