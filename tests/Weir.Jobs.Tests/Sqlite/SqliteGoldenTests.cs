using Weir.Jobs.Rules;
using Weir.Jobs.Sqlite;
using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Tests.Sqlite;

/// <summary>A file of an earlier version is read by every later one. No golden file ever changes.</summary>
public sealed class SqliteGoldenTests : SqliteFixture
{
    private static readonly string Golden = Path.Combine(Root(), "tests", "Weir.Jobs.Tests", "Golden");
    private static readonly Guid[] Ids = [.. Enumerable.Range(1, 8).Select(static number => new Guid($"00000000-0000-0000-0000-00000000000{number}"))];
    private static readonly string Large = new('x', 2_000);

    [Fact]
    public async Task The_tables_of_a_new_file_are_those_that_were_released()
    {
        await (await OpenAsync()).DisposeAsync();
        Assert.Equal(await SchemaAsync(), Dump());
    }

    [Fact]
    public async Task A_file_of_version_1_gets_the_tables_of_this_version()
    {
        File.Copy(Path.Combine(Golden, "jobs-1.db"), Files.File);
        await (await OpenAsync()).DisposeAsync();
        Assert.Equal(await SchemaAsync(), Dump());
    }

    [Fact]
    public async Task A_file_of_version_2_is_read()
    {
        File.Copy(Path.Combine(Golden, "jobs-2.db"), Files.File);
        await using var store = New();
        var content = await store.OpenAsync(new JobReplica(NextId(), []), Stop);
        Assert.Equal(["Mail/Send"], content.PausedKinds);
        Assert.True(content.HasSchedules);

        var waiting = (await store.FindAsync(Ids[0], Stop))!;
        Assert.Equal((Now.AddHours(2), Now.AddHours(1)), (waiting.Expires, waiting.ScheduledFor));
        var call = (await store.FindCallAsync(Ids[1], Stop))!;
        Assert.Equal((JobPriority.High, JobUniqueness.Ended, "once"), (call.Priority, call.UniqueUntil, call.IdempotencyKey));
        Assert.Equal("{}", Text(Assert.Single(await store.ReadAttemptsAsync(Ids[1], Stop)).Failure));
        var schedule = Assert.Single(await store.ListSchedulesAsync(Stop));
        Assert.Equal(
            new ScheduleRecord
            {
                Name = "nightly",
                Kind = Kind,
                Cron = "0 3 * * *",
                TimeZone = "Europe/Berlin",
                Source = JobScheduleSource.Configuration,
                Next = Now.AddDays(1),
                IsPaused = false,
                LastDue = Now.AddHours(-1),
                LastJob = Ids[7],
            },
            schedule);
        Assert.Equal(Now.AddHours(-1), (await store.FindAsync(Ids[7], Stop))!.ScheduledFor);
    }

    [Fact]
    public async Task A_file_of_version_1_is_read()
    {
        File.Copy(Path.Combine(Golden, "jobs-1.db"), Files.File);
        await using var store = New();
        var content = await store.OpenAsync(new JobReplica(NextId(), []), Stop);
        Assert.Equal([new LostAttempt(Ids[2], Kind, 1, 2)], content.Lost);
        Assert.Equal([Kind], content.ReadyKinds);
        Assert.Equal(Now.AddHours(1), content.NextDue);

        var waiting = (await store.FindAsync(Ids[0], Stop))!;
        Assert.Equal((JobState.Scheduled, "Mail/Send", Now.AddHours(1), Now), (waiting.Status.State, waiting.Kind, waiting.Status.Due, waiting.Submitted));
        Assert.Equal((null, null, null, ""), (waiting.Started, waiting.Ended, waiting.Progress, waiting.Key));

        var ready = (await store.FindAsync(Ids[1], Stop))!;
        Assert.Equal((JobState.Ready, JobPriority.High, "tenant", "owner", Ids[0]), (ready.Status.State, ready.Priority, ready.Key, ready.Owner, ready.Parent));
        Assert.Equal(("trace", "state", "de-DE", 0xFEDC_BA98_7654_3210), (ready.TraceParent, ready.TraceState, ready.Culture, ready.Signature));
        var call = (await store.FindCallAsync(Ids[1], Stop))!;
        Assert.Equal((Large, "once", 0xFFFF_FFFF_FFFF_FFFE), (Text(call.Arguments), call.IdempotencyKey, call.Fingerprint));

        var running = (await store.FindAsync(Ids[2], Stop))!;
        Assert.Equal((JobState.Running, JobStop.Cancel, 1L, true, 1), (running.Status.State, running.Status.Stop, running.Status.Fence, running.Status.IsOpen, running.Status.Starts));
        Assert.Equal((2L, Now, new JobProgress(0.25, "page 1")), (running.Items, running.Started, running.Progress));
        Assert.Equal(["1", Large], (await store.ReadItemsAsync(Ids[2], 0, 0, Stop)).Select(static item => Text(item)));

        var succeeded = (await store.FindAsync(Ids[3], Stop))!;
        Assert.Equal((JobState.Succeeded, Now.AddMinutes(1)), (succeeded.Status.State, succeeded.Ended));
        Assert.Equal("result", Text(await store.ReadResultAsync(Ids[3], Stop)));

        var failed = (await store.FindAsync(Ids[4], Stop))!;
        Assert.Equal((JobState.Failed, JobReason.Exception, 2), (failed.Status.State, failed.Status.Reason, failed.Status.Failures));
        Assert.Equal("second", Text(failed.Failure));
        Assert.Equal([(1L, JobEvent.Threw, "first"), (2L, JobEvent.Threw, "second")], (await store.ReadAttemptsAsync(Ids[4], Stop)).Select(static a => (a.Fence, a.Happened, Text(a.Failure))));

        var again = (await store.FindAsync(Ids[5], Stop))!;
        Assert.Equal((JobState.Ready, 1, 2L, 0L), (again.Status.State, again.Run, again.Status.Fence, again.Items));
        Assert.Null(await store.ReadResultAsync(Ids[5], Stop));

        Assert.Equal(JobState.Cancelled, (await store.FindAsync(Ids[6], Stop))!.Status.State);
        Assert.Equal(Ids.Take(7).Reverse(), (await store.ListAsync(new JobQuery(), Stop)).Select(static job => job.Id));

        // And it can be written.
        Assert.Equal([Ids[1], Ids[5]], (await ClaimAsync(store, 5)).Jobs.Select(static job => job.Record.Id));
    }

    [Fact(Explicit = true)]
    public async Task Write_the_golden_files_of_the_version()
    {
        await using (var store = await OpenAsync())
        {
            await FillAsync(store);
        }

        Execute("DELETE FROM meta WHERE name = 'boot'; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
        File.Copy(Files.File, Path.Combine(Golden, $"jobs-{Weir.Jobs.Sqlite.Rows.Schema.Version}.db"));
        await File.WriteAllTextAsync(Path.Combine(Golden, $"schema-{Weir.Jobs.Sqlite.Rows.Schema.Version}.sql"), Dump(), Stop);
    }

    private static async Task FillAsync(SqliteJobStore store)
    {
        // The one that fails twice has no key: it is claimed again before the other one of high priority.
        NewJob[] jobs =
        [
            Job(0, kind: "Mail/Send", due: Now.AddHours(1), expires: Now.AddHours(2)),
            new()
            {
                Id = Ids[1],
                Kind = Kind,
                Signature = 0xFEDC_BA98_7654_3210,
                Arguments = Bytes("{}"),
                Submitted = Now,
                Due = Now,
                Priority = JobPriority.High,
                Key = "tenant",
                Owner = "owner",
                Parent = Ids[0],
                TraceParent = "trace",
                TraceState = "state",
                Culture = "de-DE",
                IdempotencyKey = "once",
                UniqueUntil = JobUniqueness.Ended,
                Fingerprint = 0xFFFF_FFFF_FFFF_FFFE,
            },
            Job(2, starts: true),
            Job(3, starts: true),
            Job(4, starts: true, priority: JobPriority.High),
            Job(5, starts: true),
            Job(6),
        ];
        await CommitAsync(store, batch => batch.Jobs.AddRange(jobs));
        await CommitAsync(store, batch =>
        {
            batch.Items.Add(new NewItems { Id = Ids[2], Fence = 1, Items = [Bytes("1"), Bytes(Large)] });
            batch.Items.Add(new NewItems { Id = Ids[5], Fence = 1, Items = [Bytes("dropped")] });
            batch.Progress.Add(new NewProgress(Ids[2], 1, new JobProgress(0.25, "page 1")));
            batch.Pauses.Add(new KindPause("Mail/Send", true));
            batch.Actions.Add(Action(Ids[1], JobEvent.ArgumentsEdited, Large));
            batch.Schedules = [new ScheduleDeclaration { Name = "nightly", Kind = Kind, Cron = "0 3 * * *", TimeZone = "Europe/Berlin", Source = JobScheduleSource.Configuration, First = Now }];
            batch.ScheduleChanges.Add(new ScheduleChange { Name = "nightly", Expected = Now, Next = Now.AddDays(1), Job = Job(7, due: Now.AddHours(-1)) });
            batch.Actions.Add(Action(Ids[2], JobEvent.CancelAsked));
            batch.Actions.Add(Action(Ids[5], JobEvent.Answered, "failed"));
            batch.Actions.Add(Action(Ids[5], JobEvent.RetriedByHand));
            batch.Actions.Add(Action(Ids[6], JobEvent.CancelAsked));
            batch.Actions.Add(Threw(1, "first"));
            batch.Claims.Add(new JobClaim { Slots = 1, Kinds = [new KindClaim { Kind = Kind, Slots = 1 }] });
        });
        await CommitAsync(
            store,
            batch =>
            {
                batch.Actions.Add(Action(Ids[3], JobEvent.Succeeded, "result"));
                batch.Actions.Add(Threw(2, "second"));
            },
            Now.AddMinutes(1));
    }

    private static JobAction Threw(long fence, string failure) => new()
    {
        Id = Ids[4],
        Happened = JobEvent.Threw,
        Kind = new JobTraits { Attempts = 2, Backoff = TimeSpan.Zero },
        Moment = new JobMoment(Now, 0) { Fence = fence },
        Payload = Bytes(failure),
    };

    private static NewJob Job(int number, string kind = Kind, DateTimeOffset? due = null, bool starts = false, JobPriority priority = JobPriority.Normal, DateTimeOffset? expires = null) =>
        new() { Priority = priority, Id = Ids[number], Kind = kind, Signature = 1, Arguments = Bytes("{}"), Submitted = Now, Due = due ?? Now, Starts = starts, Expires = expires };

    private static Task<string> SchemaAsync() => File.ReadAllTextAsync(Path.Combine(Golden, $"schema-{Weir.Jobs.Sqlite.Rows.Schema.Version}.sql"), Stop);

    private string Dump()
    {
        using var connection = new Connection(Files.File, mayWrite: false);
        var all = connection.Prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC, name");
        var lines = new List<string>();
        while (all.Step())
        {
            lines.Add(all.Text(0) + ";\n");
        }

        return string.Concat(lines);
    }

    private static string Root()
    {
        var folder = AppContext.BaseDirectory;
        while (!File.Exists(Path.Combine(folder, "Weir.slnx")))
        {
            folder = Path.GetDirectoryName(folder)!;
        }

        return folder;
    }
}
