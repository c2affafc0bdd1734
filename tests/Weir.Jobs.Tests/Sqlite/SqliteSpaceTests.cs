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
        var claim = new JobClaim { Slots = 5, Kinds = [new KindClaim { Kind = Kind, Slots = 5, AfterKey = "a" }] };
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
}
