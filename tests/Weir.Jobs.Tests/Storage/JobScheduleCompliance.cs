using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Storage;

/// <summary>Schedules: what a declaration makes of what is stored, and occurrences, each of which is taken once, with its job.</summary>
public abstract class JobScheduleCompliance : JobEditCompliance
{
    private const string Name = "Reports/CleanUp";

    private protected static readonly DateTimeOffset First = Now.AddHours(1);
    private protected static readonly DateTimeOffset Second = Now.AddHours(2);

    // ---- declarations ----

    [Fact]
    public async Task A_schedule_that_is_new_begins_with_its_first_occurrence()
    {
        var declared = Declaration(source: JobScheduleSource.Configuration);
        await DeclareAsync(declared);
        var expected = new ScheduleRecord { Name = Name, Kind = Kind, Cron = "0 3 * * *", TimeZone = "Europe/Berlin", Source = JobScheduleSource.Configuration, Next = First };
        Assert.Equal(expected, declared.Record);
        Assert.Equal(expected, await ScheduleAsync());
    }

    [Fact]
    public async Task Schedules_are_listed_by_name()
    {
        Assert.Empty(await SchedulesAsync());
        await DeclareAsync(Declaration("b"), Declaration("a", hasFirst: false), Declaration("B"), Declaration("ä🌊"));
        Assert.Equal(["B", "a", "b", "ä🌊"], (await SchedulesAsync()).Select(static schedule => schedule.Name));
        Assert.Equal([First, null, First, First], (await SchedulesAsync()).Select(static schedule => schedule.Next));
    }

    [Fact]
    public async Task A_schedule_that_is_declared_again_goes_on()
    {
        await DeclareAsync(Declaration());
        var job = Job(due: First);
        await ChangeAsync(First, Second, job);
        var before = await ScheduleAsync();
        var again = Declaration(first: Now.AddDays(5));
        await DeclareAsync(again);
        Assert.Equal((Second, First, job.Id), (before.Next, before.LastDue, before.LastJob));
        Assert.Equal(before, again.Record);
        Assert.Equal(before, await ScheduleAsync());
    }

    [Theory]
    [InlineData(Kind, "0 4 * * *", "Europe/Berlin", JobScheduleSource.Code, true)]
    [InlineData(Kind, "0 3 * * *", "UTC", JobScheduleSource.Code, true)]
    [InlineData("Reports/Other", "0 3 * * *", "Europe/Berlin", JobScheduleSource.Code, true)]
    [InlineData(Kind, "0 3 * * *", "Europe/Berlin", JobScheduleSource.Configuration, false)]
    public async Task What_is_declared_otherwise_begins_with_its_first_occurrence(string kind, string cron, string zone, JobScheduleSource source, bool begins)
    {
        await DeclareAsync(Declaration());
        var job = Job(due: First);
        await ChangeAsync(First, Second, job);
        await PauseScheduleAsync(Second, isPaused: true);
        var other = Declaration(kind: kind, cron: cron, zone: zone, source: source, first: Now.AddDays(5));
        await DeclareAsync(other);
        var expected = new ScheduleRecord
        {
            Name = Name,
            Kind = kind,
            Cron = cron,
            TimeZone = zone,
            Source = source,
            Next = begins ? Now.AddDays(5) : Second,
            IsPaused = true,
            LastDue = First,
            LastJob = job.Id,
        };
        Assert.Equal(expected, other.Record);
        Assert.Equal(expected, await ScheduleAsync());
    }

    [Fact]
    public async Task A_schedule_without_a_next_occurrence_gets_one_by_a_declaration_that_has_one()
    {
        await DeclareAsync(Declaration(hasFirst: false));
        Assert.Null((await ScheduleAsync()).Next);
        await DeclareAsync(Declaration(hasFirst: false));
        Assert.Null((await ScheduleAsync()).Next);
        await DeclareAsync(Declaration(first: First));
        Assert.Equal(First, (await ScheduleAsync()).Next);
    }

    [Fact]
    public async Task A_schedule_that_is_not_declared_any_more_is_not_fired()
    {
        await DeclareAsync(Declaration(), Declaration("other"));
        await DeclareAsync(Now.AddMinutes(1), Declaration("other"));
        Assert.Equal((First, Now.AddMinutes(1)), ((await ScheduleAsync()).Next, (await ScheduleAsync()).UndeclaredSince));
        var job = Job(due: First);
        var change = await ChangeAsync(First, Second, job);
        Assert.Equal((false, await ScheduleAsync()), (change.IsApplied, change.Record));
        Assert.Equal(First, (await ScheduleAsync()).Next);
        Assert.Null(await TryFindAsync(job.Id));

        // The other one is.
        Assert.True((await ChangeAsync(First, Second, Job(due: First), name: "other")).IsApplied);
    }

    [Fact]
    public async Task A_schedule_that_is_not_declared_is_deleted_by_a_declaration_after_a_day()
    {
        await DeclareAsync(Declaration(), Declaration("other"));
        var since = Now.AddMinutes(1);
        await DeclareAsync(since, Declaration("other"));
        await DeclareAsync(since.AddHours(12), Declaration("other"));
        await DeclareAsync(since.AddDays(1), Declaration("other"));
        Assert.Equal(since, (await ScheduleAsync()).UndeclaredSince);

        // Time alone deletes nothing.
        await MoveAsync(since.AddDays(2));
        Assert.Equal(2, (await SchedulesAsync()).Count);
        await DeclareAsync(since.AddDays(1).AddTicks(1), Declaration("other"));
        Assert.Equal("other", Assert.Single(await SchedulesAsync()).Name);
        var again = Declaration(first: Second);
        await DeclareAsync(since.AddDays(3), again, Declaration("other"));
        Assert.Equal((Second, null, false), (again.Record!.Next, again.Record.LastJob, again.Record.IsPaused));
    }

    [Fact]
    public async Task A_schedule_that_is_declared_again_within_a_day_begins_from_then_on()
    {
        await DeclareAsync(Declaration());
        var job = Job(due: First);
        await ChangeAsync(First, Second, job);
        await PauseScheduleAsync(Second, isPaused: true);
        await DeclareAsync();
        Assert.Equal(Now, (await ScheduleAsync()).UndeclaredSince);
        var again = Declaration(first: Now.AddHours(20));
        await DeclareAsync(Now.AddHours(19), again);
        Assert.Equal((Now.AddHours(20), true, First, job.Id, null), (again.Record!.Next, again.Record.IsPaused, again.Record.LastDue, again.Record.LastJob, again.Record.UndeclaredSince));
        Assert.Equal(again.Record, await ScheduleAsync());
    }

    [Fact]
    public async Task Only_a_declaration_changes_what_is_declared()
    {
        await DeclareAsync(Declaration());
        await CommitAsync(static batch => batch.MovesDue = true, Now.AddDays(5));
        Assert.Null((await ScheduleAsync()).UndeclaredSince);
    }

    [Fact]
    public async Task A_declaration_goes_before_the_changes_of_the_same_commit()
    {
        var change = Change(First, Second, Job(due: Now));
        await CommitAsync(batch =>
        {
            batch.ScheduleChanges.Add(change);
            batch.Schedules = [Declaration()];
        });
        Assert.True(change.IsApplied);
        Assert.Equal(Second, (await ScheduleAsync()).Next);
    }

    // ---- occurrences ----

    [Fact]
    public async Task An_occurrence_is_taken_with_its_job()
    {
        await DeclareAsync(Declaration());
        var (job, claim) = (Job(due: First.AddTicks(1), key: "k"), Claim(1, Of(Kind)));
        var change = Change(First, Second, job);
        var batch = await CommitAsync(
            batch =>
            {
                batch.Claims.Add(claim);
                batch.ScheduleChanges.Add(change);
            },
            First.AddMinutes(1));
        Assert.Equal((true, false), (change.IsApplied, change.IsSkipped));
        Assert.Equal((Second, First.AddTicks(1), job.Id), (change.Record!.Next, change.Record.LastDue, change.Record.LastJob));
        Assert.Equal(change.Record, await ScheduleAsync());
        Assert.Equal([Kind], batch.ReadyKinds);
        Assert.Equal([job.Id], Ids(claim));
        Assert.Equal((First.AddTicks(1), "k"), (claim.Jobs[0].Record.ScheduledFor, claim.Jobs[0].Record.Key));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Of_two_equal_changes_one_is_applied(bool inOneCommit)
    {
        await DeclareAsync(Declaration());
        ScheduleChange[] changes = [Change(First, Second, Job(due: First)), Change(First, Second, Job(due: First)), Change(First, Second, Job(due: First))];
        foreach (var part in inOneCommit ? [changes] : changes.Chunk(1))
        {
            await CommitAsync(batch => batch.ScheduleChanges.AddRange(part), First);
        }

        Assert.Equal([true, false, false], changes.Select(static change => change.IsApplied));
        Assert.All(changes, change => Assert.Equal(changes[0].Record, change.Record));
        Assert.Equal([changes[0].Job!.Id], (await ListAsync(new JobQuery())).Select(static record => record.Id));
    }

    [Fact]
    public async Task Changes_that_follow_each_other_are_applied_in_one_commit()
    {
        await DeclareAsync(Declaration());
        ScheduleChange[] changes = [Change(First, Second, Job(due: First)), Change(Second, null, Job(due: Second))];
        await CommitAsync(batch => batch.ScheduleChanges.AddRange(changes), Second);
        Assert.All(changes, static change => Assert.True(change.IsApplied));
        Assert.Equal((null, Second, changes[1].Job!.Id), ((await ScheduleAsync()).Next, (await ScheduleAsync()).LastDue, (await ScheduleAsync()).LastJob));
        Assert.Equal([new JobCount(Kind, JobState.Ready, 2)], await CountAsync());
    }

    [Fact]
    public async Task What_expects_another_occurrence_changes_nothing()
    {
        await DeclareAsync(Declaration());
        var before = await ScheduleAsync();
        foreach (var expected in new DateTimeOffset?[] { First.AddTicks(1), First.AddTicks(-1), null })
        {
            var (take, pause) = (await ChangeAsync(expected, Second, Job(due: First)), await PauseScheduleAsync(expected, isPaused: true));
            Assert.Equal((false, before, false, before), (take.IsApplied, take.Record, pause.IsApplied, pause.Record));
        }

        Assert.Equal(before, await ScheduleAsync());
        Assert.Empty(await ListAsync(new JobQuery()));
    }

    [Fact]
    public async Task The_last_occurrence_leaves_none()
    {
        await DeclareAsync(Declaration());
        Assert.True((await ChangeAsync(First, null, Job(due: First))).IsApplied);
        Assert.Null((await ScheduleAsync()).Next);
        Assert.False((await ChangeAsync(First, null, Job(due: First))).IsApplied);
        Assert.Equal((true, Second), ((await ChangeAsync(null, Second, null)).IsApplied, (await ScheduleAsync()).Next));
    }

    [Fact]
    public async Task An_occurrence_may_pass_without_a_job()
    {
        await DeclareAsync(Declaration());
        var change = await ChangeAsync(First, Second, null);
        Assert.Equal((true, false), (change.IsApplied, change.IsSkipped));
        Assert.Equal((Second, null, null), ((await ScheduleAsync()).Next, (await ScheduleAsync()).LastDue, (await ScheduleAsync()).LastJob));
    }

    [Fact]
    public async Task A_schedule_that_there_is_not_is_not_changed()
    {
        var job = Job(due: First);
        var change = await ChangeAsync(null, Second, job);
        Assert.Equal((false, null), (change.IsApplied, change.Record));
        Assert.Null(await TryFindAsync(job.Id));
        Assert.Empty(await SchedulesAsync());
    }

    [Fact]
    public async Task The_job_of_an_occurrence_may_be_due_later()
    {
        await DeclareAsync(Declaration());
        var change = Change(First, Second, Job(due: First));
        var batch = await CommitAsync(batch => batch.ScheduleChanges.Add(change));
        Assert.Equal(First, batch.NextDue);
        Assert.Empty(batch.ReadyKinds);
        Assert.Equal([Kind], (await MoveAsync(First)).ReadyKinds);
    }

    [Fact]
    public async Task The_job_of_an_occurrence_of_a_kind_that_is_paused_waits()
    {
        await DeclareAsync(Declaration());
        await PauseAsync();
        Assert.True((await ChangeAsync(First, Second, Job(due: First))).IsApplied);
        Assert.Empty((await ClaimAsync(5, Of(Kind))).Jobs);
        Assert.Equal([Kind], (await PauseAsync(isPaused: false)).ReadyKinds);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_commit_that_failed_takes_no_occurrence(bool isTakenInBatch)
    {
        await DeclareAsync(Declaration());
        var (before, taken, free) = (await ScheduleAsync(), await AcceptAsync(), NextId());
        await Assert.ThrowsAsync<JobStoreException>(() => CommitAsync(
            batch =>
            {
                batch.ScheduleChanges.Add(Change(First, Second, New(isTakenInBatch ? free : taken.Id)));
                batch.ScheduleChanges.Add(Change(Second, null, New(free)));
                batch.Schedules = [Declaration(), Declaration("other")];
            },
            Second));
        Assert.Equal(before, Assert.Single(await SchedulesAsync()));
        Assert.Null(await TryFindAsync(free));
        Assert.True((await ChangeAsync(First, Second, New(free))).IsApplied);

        static NewJob New(Guid id) => new() { Id = id, Kind = Kind, Signature = 1, Arguments = Bytes("{}"), Submitted = Now, Due = First };
    }

    // ---- pause ----

    [Fact]
    public async Task A_schedule_that_is_paused_is_not_moved_until_it_is_resumed()
    {
        await DeclareAsync(Declaration());
        var paused = await PauseScheduleAsync(First, isPaused: true);
        Assert.Equal((true, true, First), (paused.IsApplied, paused.Record!.IsPaused, paused.Record.Next));
        var change = await ChangeAsync(First, Second, Job(due: First));
        Assert.Equal((false, paused.Record), (change.IsApplied, change.Record));
        Assert.Empty(await ListAsync(new JobQuery()));

        // What was missed until then is missed: the one who resumes it says where it continues.
        var resumed = await PauseScheduleAsync(First, isPaused: false, next: Second);
        Assert.Equal((true, false, Second, null), (resumed.IsApplied, resumed.Record!.IsPaused, resumed.Record.Next, resumed.Record.LastDue));
        Assert.True((await ChangeAsync(Second, null, Job(due: Second))).IsApplied);
    }

    [Fact]
    public async Task A_schedule_that_is_not_declared_can_be_paused()
    {
        await DeclareAsync(Declaration());
        await DeclareAsync();
        Assert.True((await PauseScheduleAsync(First, isPaused: true)).IsApplied);
        Assert.Equal((true, Now), ((await ScheduleAsync()).IsPaused, (await ScheduleAsync()).UndeclaredSince));
    }

    [Fact]
    public async Task A_pause_goes_before_an_occurrence_behind_it_in_the_same_commit()
    {
        await DeclareAsync(Declaration());
        ScheduleChange[] changes = [new() { Name = Name, Expected = First, Next = First, IsPaused = true }, Change(First, Second, Job(due: First))];
        await CommitAsync(batch => batch.ScheduleChanges.AddRange(changes));
        Assert.Equal([true, false], changes.Select(static change => change.IsApplied));
        Assert.Empty(await ListAsync(new JobQuery()));
    }

    // ---- overlap ----

    [Theory]
    [InlineData("scheduled", true)]
    [InlineData("ready", true)]
    [InlineData("running", true)]
    [InlineData("running, cancel asked", true)]
    [InlineData("waiting for its next attempt", true)]
    [InlineData("succeeded", false)]
    [InlineData("failed", false)]
    [InlineData("cancelled", false)]
    [InlineData("expired", false)]
    [InlineData("purged", false)]
    public async Task An_occurrence_is_left_out_while_the_job_of_the_last_one_is_open(string state, bool isOpen)
    {
        await DeclareAsync(Declaration());
        var last = Job(due: state == "scheduled" ? First.AddDays(1) : Now);
        await ChangeAsync(First, Second, last);
        await BringAsync(last.Id, state);

        var third = Now.AddHours(3);
        var job = Job(due: Second);
        var change = await ChangeAsync(Second, third, job, skips: true);
        Assert.Equal((true, isOpen), (change.IsApplied, change.IsSkipped));
        Assert.Equal((third, isOpen ? last.Due : Second, isOpen ? last.Id : job.Id), (change.Record!.Next, change.Record.LastDue, change.Record.LastJob));
        Assert.Equal(change.Record, await ScheduleAsync());
        Assert.Equal(isOpen, await TryFindAsync(job.Id) is null);

        // One that may stand beside others is stored.
        var beside = Job(due: third);
        Assert.False((await ChangeAsync(third, third.AddHours(1), beside)).IsSkipped);
        Assert.Equal(beside.Id, (await ScheduleAsync()).LastJob);
    }

    [Fact]
    public async Task A_job_that_ends_in_the_same_commit_is_not_open()
    {
        await DeclareAsync(Declaration());
        var last = Job(due: Now);
        await ChangeAsync(First, Second, last);
        await ClaimAsync();
        var change = Change(Second, null, Job(due: Second), skips: true);
        await CommitAsync(batch =>
        {
            batch.ScheduleChanges.Add(change);
            batch.Actions.Add(Action(last.Id, JobEvent.Succeeded, fence: 1));
        });
        Assert.Equal((true, false), (change.IsApplied, change.IsSkipped));
    }

    [Fact]
    public async Task Jobs_of_other_schedules_and_submissions_do_not_count()
    {
        await DeclareAsync(Declaration(), Declaration("other"));
        await AcceptAsync();
        await ChangeAsync(First, Second, Job(due: First), name: "other");
        Assert.False((await ChangeAsync(First, Second, Job(due: First), skips: true)).IsSkipped);
        Assert.True((await ChangeAsync(Second, null, Job(due: Second), skips: true)).IsSkipped);
    }

    [Fact]
    public async Task A_schedule_that_is_changed_does_not_repeat_an_occurrence_that_was_taken_since_it_was_computed()
    {
        await DeclareAsync(Declaration());
        Assert.NotNull((await ChangeAsync(First, Second, Job(due: First))).Job);
        var changed = Declaration(cron: "0 3 * * 1-5");
        await DeclareAsync(new ScheduleDeclaration { Name = changed.Name, Kind = changed.Kind, Cron = changed.Cron, TimeZone = changed.TimeZone, Source = changed.Source, First = First, After = static taken => taken + TimeSpan.FromDays(3) });
        Assert.Equal(First + TimeSpan.FromDays(3), (await ScheduleAsync()).Next);
        Assert.Equal(First, (await ScheduleAsync()).LastDue);
    }

    private protected static ScheduleDeclaration Declaration(
        string name = Name, string kind = Kind, string cron = "0 3 * * *", string zone = "Europe/Berlin", JobScheduleSource source = JobScheduleSource.Code,
        DateTimeOffset? first = null, bool hasFirst = true) => new()
        {
            Name = name,
            Kind = kind,
            Cron = cron,
            TimeZone = zone,
            Source = source,
            First = hasFirst ? first ?? First : null,
        };

    private protected static ScheduleChange Change(DateTimeOffset? expected, DateTimeOffset? next, NewJob? job, bool skips = false, string name = Name) =>
        new() { Name = name, Expected = expected, Next = next, Job = job, SkipsWhileOpen = skips };

    private protected async Task DeclareAsync(params ScheduleDeclaration[] schedules) => await DeclareAsync(Now, schedules);

    private protected async Task DeclareAsync(DateTimeOffset now, params ScheduleDeclaration[] schedules) => await CommitAsync(batch => batch.Schedules = schedules, now);

    private protected async Task<ScheduleChange> ChangeAsync(DateTimeOffset? expected, DateTimeOffset? next, NewJob? job, bool skips = false, string name = Name)
    {
        var change = Change(expected, next, job, skips, name);
        await CommitAsync(batch => batch.ScheduleChanges.Add(change), expected);
        return change;
    }

    private protected async Task<IReadOnlyList<ScheduleRecord>> SchedulesAsync() => await Store.ListSchedulesAsync(TestContext.Current.CancellationToken);

    private protected async Task<ScheduleRecord> ScheduleAsync() => Assert.Single(await SchedulesAsync(), static schedule => schedule.Name == Name);

    private async Task<ScheduleChange> PauseScheduleAsync(DateTimeOffset? expected, bool isPaused, DateTimeOffset? next = null)
    {
        var change = new ScheduleChange { Name = Name, Expected = expected, Next = next ?? expected, IsPaused = isPaused };
        await CommitAsync(batch => batch.ScheduleChanges.Add(change));
        return change;
    }

    private async Task BringAsync(Guid job, string state)
    {
        if (state is not ("scheduled" or "ready" or "expired" or "cancelled"))
        {
            Assert.Equal(job, (await ClaimAsync()).Record.Id);
        }

        (JobEvent Happened, JobTraits Kind)[] events = state switch
        {
            "running, cancel asked" or "cancelled" => [(JobEvent.CancelAsked, Once)],
            "waiting for its next attempt" => [(JobEvent.Threw, Idempotent)],
            "succeeded" => [(JobEvent.Succeeded, Once)],
            "failed" => [(JobEvent.Threw, Once)],
            "expired" => [(JobEvent.Expired, Once)],
            "purged" => [(JobEvent.Succeeded, Once), (JobEvent.Purged, Once)],
            _ => [],
        };
        foreach (var (happened, kind) in events)
        {
            await ActAsync(job, happened, kind, fence: 1);
        }
    }
}
