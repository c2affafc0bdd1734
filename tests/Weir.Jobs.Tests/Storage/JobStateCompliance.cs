using Weir.Jobs.Rules;
using Weir.Jobs.Storage;
using Weir.Tests.Jobs.Rules;

namespace Weir.Jobs.Tests.Storage;

/// <summary>Every cell of the table in <c>docs/job-states.md</c>, through the port: a job is brought into the state by commits, and the event is committed.</summary>
public abstract class JobStateCompliance : JobStoreFixture
{
    private const string IdempotencyKey = "close-2026";

    // What happens before the event: long enough before for arguments that were not understood.
    private static readonly DateTimeOffset Before = Now - JobRules.LongestNotUnderstood;

    // By the head of the row: the event, the kind, and what happened to a job that was claimed, how often.
    private static readonly (string Head, JobEvent Happened, JobTraits Kind, JobEvent? Earlier, int Times)[] Rows =
    [
        Row("due", JobEvent.Due),
        Row("claimed", JobEvent.Claimed),
        Row("succeeded", JobEvent.Succeeded),
        Row("threw, an attempt is left", JobEvent.Threw, Once with { Attempts = 2 }),
        Row("threw, none is left", JobEvent.Threw),
        Row("threw what is declared", JobEvent.Answered, Again),
        Row("threw `JobRetryException`", JobEvent.AskedForRetry),
        Row("threw it more than 1,000 times", JobEvent.AskedForRetry, null, JobEvent.AskedForRetry, JobRules.MostAskedRetries),
        Row("worker crashed", JobEvent.Crashed),
        Row("worker crashed, `[Idempotent]`", JobEvent.Crashed, Again),
        Row("worker crashed a second time, `[Idempotent]`", JobEvent.Crashed, Again, JobEvent.Crashed, 1),
        Row("replica lost", JobEvent.OwnerLost),
        Row("replica lost, `[Idempotent]`", JobEvent.OwnerLost, Again),
        Row("replica lost a third time, `[Idempotent]`", JobEvent.OwnerLost, Again, JobEvent.OwnerLost, 2),
        Row("not started", JobEvent.NotStarted),
        Row("refused by quarantine", JobEvent.Quarantined),
        Row("refused a fourth time", JobEvent.Quarantined, null, JobEvent.Quarantined, JobRules.MostRefusals),
        Row("arguments not understood", JobEvent.NotUnderstood),
        Row("not understood for 10 minutes", JobEvent.NotUnderstood, null, JobEvent.NotUnderstood, 1),
        Row("host stops", JobEvent.Drained),
        Row("host stops, `[Idempotent]`", JobEvent.Drained, Again),
        Row("an outcome of an earlier attempt", JobEvent.Succeeded),
        Row("item appended", JobEvent.ItemAppended),
        Row("cancel asked", JobEvent.CancelAsked),
        Row("timed out", JobEvent.TimedOut),
        Row("not started in time", JobEvent.Expired),
        Row("retried by hand", JobEvent.RetriedByHand),
        Row("retried by hand, another job holds its key", JobEvent.RetriedByHand),
        Row("arguments edited", JobEvent.ArgumentsEdited),
        Row("purged", JobEvent.Purged),
    ];

    // The state, the head of its column, and the events that bring a running job there.
    private static readonly (string State, string Head, (JobEvent Happened, JobTraits Kind)[] Steps)[] Columns =
    [
        ("scheduled", "scheduled", []),
        ("ready, replica presumed gone", "ready, replica presumed gone", [(JobEvent.OwnerLost, Idempotent)]),
        ("running", "running", []),
        ("running, cancel asked", "running, cancel asked", [(JobEvent.CancelAsked, Once)]),
        ("running, timed out", "running, timed out", [(JobEvent.TimedOut, Once)]),
        ("failed(`lost`)", "failed(`lost`)", [(JobEvent.OwnerLost, Once)]),
        ("failed(`crashed`)", "failed otherwise, cancelled, expired", [(JobEvent.Crashed, Once)]),
        ("cancelled", "failed otherwise, cancelled, expired", [(JobEvent.CancelAsked, Once), (JobEvent.Threw, Once)]),
        ("expired", "failed otherwise, cancelled, expired", [(JobEvent.Expired, Once)]),
        ("succeeded", "succeeded", [(JobEvent.Succeeded, Once)]),
    ];

    public static TheoryData<string, string> Cells { get; } = new(
        from row in Rows
        from column in Columns
        select (row.Head, column.State));

    private static JobTraits Again => new() { IsIdempotent = true, Attempts = 5 };

    [Fact]
    public void The_table_has_these_rows_and_columns()
    {
        Assert.Equal(Columns.Select(static column => column.Head).Distinct(), JobStatesPage.Table[0][1..]);
        Assert.Equal(Rows.Select(static row => row.Head), JobStatesPage.Table[1..].Select(static row => row[0]));
    }

    [Theory]
    [MemberData(nameof(Cells))]
    public async Task A_cell_states_what_a_commit_makes_of_a_job(string head, string state)
    {
        var row = Rows.Single(row => row.Head == head);
        var column = Columns.Single(column => column.State == state);
        var job = await BringAsync(row.Earlier, row.Times, column.State, column.Steps);
        var before = await FindAsync(job);

        // One that was never claimed has a fence that no attempt has.
        var fence = state == "scheduled" ? 1 : before.Status.Fence;
        var moment = new JobMoment(Now, 0.5)
        {
            Fence = head == "an outcome of an earlier attempt" ? fence - 1 : fence,
            Due = head == "threw `JobRetryException`" ? Now + TimeSpan.FromMinutes(1) : null,
        };
        var expected = JobRules.Decide(before.Status, row.Kind, row.Happened, moment);

        var verdict = await DriveAsync(job, row.Happened, row.Kind, moment);
        await CheckAsync();
        if (Store.IsDurable)
        {
            await ReopenAsync();
            await CheckAsync();
        }

        async Task CheckAsync()
        {
            var after = await TryFindAsync(job);
            Assert.Equal(Cell(head, column), JobStatesPage.Text(after?.Status ?? before.Status, verdict));
            Assert.Equal(expected.Verdict, verdict);
            Assert.Equal(verdict == JobVerdict.Gone, after is null);
            if (after is not null)
            {
                Assert.Equal(expected.Status, after.Status);
                Assert.Equal(after.Status.HasEnded, after.Ended is not null);
                Assert.Equal(before.Status.HasEnded && verdict != JobVerdict.Late && after.Status.HasEnded ? before.Ended : after.Status.HasEnded ? Now : null, after.Ended);
                Assert.Equal(row.Happened == JobEvent.Claimed && verdict == JobVerdict.Applied ? Now : after.Status.Starts == 0 ? null : before.Started, after.Started);
            }
        }
    }

    private static (string, JobEvent, JobTraits, JobEvent?, int) Row(string head, JobEvent happened, JobTraits? kind = null, JobEvent? earlier = null, int times = 0) =>
        (head, happened, kind ?? Once, earlier, times);

    private static string Cell(string head, (string State, string Head, (JobEvent, JobTraits)[] Steps) column)
    {
        var text = JobStatesPage.Cell(head, column.Head);
        return text switch
        {
            // The table says how it is with the first one of the column.
            "failed(`crashed`)" when column.State is "cancelled" or "expired" => column.State,

            // A job that is kept holds its key itself: no other one can.
            "refused" when head.EndsWith("holds its key", StringComparison.Ordinal) && !column.State.StartsWith("running", StringComparison.Ordinal) => "ready",
            _ => text,
        };
    }

    private async Task<Guid> BringAsync(JobEvent? earlier, int times, string state, (JobEvent Happened, JobTraits Kind)[] steps)
    {
        // 1. It is accepted.
        var job = (await AcceptAsync(Job(due: state == "scheduled" ? Now : Before, idempotencyKey: IdempotencyKey), Before)).Id;
        if (state is not ("scheduled" or "expired"))
        {
            await ClaimAsync(now: Before);

            // 2. What happened before counts only where an attempt is open; a thousand commits are not free.
            if (state is "running" or "running, cancel asked" or "running, timed out" or "ready, replica presumed gone" || times < 10)
            {
                for (var time = 0; earlier is { } happened && time < times; time++)
                {
                    await RepeatAsync(job, happened, fence: time + 1);
                }
            }
        }

        // 3. What brings it into the state.
        foreach (var (happened, kind) in steps)
        {
            var fence = (await FindAsync(job)).Status.Fence;
            Assert.Equal(JobVerdict.Applied, (await ActAsync(job, happened, kind, fence, now: Before)).Change.Verdict);
        }

        Assert.Equal(state.Split(',', '(')[0], (await StateAsync(job)).ToString().ToLowerInvariant());
        return job;
    }

    // An attempt ends, and the next one begins, in one commit. Arguments that are not understood have a pause of 30 seconds.
    private async Task RepeatAsync(Guid job, JobEvent happened, long fence)
    {
        var claim = Claim(1, Of(Kind));
        await CommitAsync(
            batch =>
            {
                batch.Actions.Add(Action(job, happened, Idempotent, fence, now: Before));
                batch.MovesDue = true;
                batch.Claims.Add(claim);
            },
            Before + JobRules.NotUnderstoodPause);
        Assert.Equal(fence + 1, Assert.Single(claim.Jobs).Record.Status.Fence);
    }

    private async Task<JobVerdict> DriveAsync(Guid job, JobEvent happened, JobTraits kind, JobMoment moment)
    {
        if (happened == JobEvent.RetriedByHand)
        {
            var other = await AcceptAsync(Job(idempotencyKey: IdempotencyKey));
            Assert.Equal(job, other.Existing);
        }

        switch (happened)
        {
            case JobEvent.Due:
                var due = await CommitAsync(static batch => batch.MovesDue = true);
                return due.ReadyKinds.Contains(Kind) ? JobVerdict.Applied : JobVerdict.NoChange;
            case JobEvent.Claimed:
                return (await ClaimAsync(1, Of(Kind))).Jobs.Count == 1 ? JobVerdict.Applied : JobVerdict.Refused;
            case JobEvent.ItemAppended:
                return (await AppendAsync(job, moment.Fence, Bytes("1"))).Verdict;
            default:
                var action = new JobAction { Id = job, Happened = happened, Kind = kind, Moment = moment };
                await CommitAsync(batch => batch.Actions.Add(action));
                return action.Change.Verdict;
        }
    }
}
