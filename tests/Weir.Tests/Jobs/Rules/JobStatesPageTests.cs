using Weir.Jobs.Rules;

namespace Weir.Tests.Jobs.Rules;

/// <summary>The table of states and events in <c>docs/job-states.md</c> says what the code does, cell by cell.</summary>
public sealed class JobStatesPageTests
{
    private static readonly DateTimeOffset Now = new(2026, 11, 27, 12, 0, 0, TimeSpan.Zero);
    private static readonly JobMoment Moment = new(Now, 0.5) { Fence = 7 };
    private static readonly JobTraits Once = new();
    private static readonly JobTraits Idempotent = new() { IsIdempotent = true, Attempts = 5 };

    // By the head of the column.
    private static readonly (string Head, JobStatus Job)[] Columns =
    [
        ("scheduled", new JobStatus { State = JobState.Scheduled, Due = Now }),
        ("ready, replica presumed gone", Running with { State = JobState.Ready, Losses = 1 }),
        ("running", Running),
        ("running, cancel asked", Running with { Stop = JobStop.Cancel }),
        ("running, timed out", Running with { Stop = JobStop.Timeout }),
        ("failed(`lost`)", Running with { State = JobState.Failed, Reason = JobReason.Lost }),
        ("failed otherwise, cancelled, expired", Running with { State = JobState.Failed, Reason = JobReason.Crashed, IsOpen = false }),
        ("succeeded", Running with { State = JobState.Succeeded, IsOpen = false }),
    ];

    // By the first cell of the row: the event, the kind, and what happened to the job before.
    private static readonly (string Head, JobEvent Happened, JobTraits Kind, Func<JobStatus, JobStatus> Before, Func<JobMoment, JobMoment> At)[] Rows =
    [
        Row("due", JobEvent.Due),
        Row("claimed", JobEvent.Claimed),
        Row("succeeded", JobEvent.Succeeded),
        Row("threw, an attempt is left", JobEvent.Threw, Once with { Attempts = 2 }),
        Row("threw, none is left", JobEvent.Threw),
        Row("threw what is declared", JobEvent.Answered, Idempotent),
        Row("threw `JobRetryException`", JobEvent.AskedForRetry, at: static moment => moment with { Due = Now + TimeSpan.FromMinutes(1) }),
        Row("threw it more than 1,000 times", JobEvent.AskedForRetry, before: static job => job with { AskedRetries = JobRules.MostAskedRetries }),
        Row("worker crashed", JobEvent.Crashed),
        Row("worker crashed, `[Idempotent]`", JobEvent.Crashed, Idempotent),
        Row("worker crashed a second time, `[Idempotent]`", JobEvent.Crashed, Idempotent, static job => job with { Crashes = 1 }),
        Row("replica lost", JobEvent.OwnerLost),
        Row("replica lost, `[Idempotent]`", JobEvent.OwnerLost, Idempotent),
        Row("replica lost a third time, `[Idempotent]`", JobEvent.OwnerLost, Idempotent, static job => job with { Losses = 2 }),
        Row("not started", JobEvent.NotStarted),
        Row("refused by quarantine", JobEvent.Quarantined),
        Row("refused a fourth time", JobEvent.Quarantined, before: static job => job with { Refusals = JobRules.MostRefusals }),
        Row("arguments not understood", JobEvent.NotUnderstood),
        Row("not understood for 10 minutes", JobEvent.NotUnderstood, before: static job => job with { NotUnderstoodSince = Now - JobRules.LongestNotUnderstood }),
        Row("host stops", JobEvent.Drained),
        Row("host stops, `[Idempotent]`", JobEvent.Drained, Idempotent),
        Row("an outcome of an earlier attempt", JobEvent.Succeeded, at: static moment => moment with { Fence = 6 }),
        Row("item appended", JobEvent.ItemAppended),
        Row("cancel asked", JobEvent.CancelAsked),
        Row("timed out", JobEvent.TimedOut),
        Row("not started in time", JobEvent.Expired),
        Row("retried by hand", JobEvent.RetriedByHand),
        Row("retried by hand, another job holds its key", JobEvent.RetriedByHand, at: static moment => moment with { IsKeyHeld = true }),
        Row("arguments edited", JobEvent.ArgumentsEdited),
        Row("purged", JobEvent.Purged),
    ];

    private static readonly string[][] Page = JobStatesPage.Table;

    public static TheoryData<int, int> Cells { get; } = new(
        from row in Enumerable.Range(0, Rows.Length)
        from column in Enumerable.Range(0, Columns.Length)
        select (row, column));

    private static JobStatus Running => new() { State = JobState.Running, Fence = 7, IsOpen = true, Starts = 7 };

    [Fact]
    public void The_table_has_every_event_and_state()
    {
        Assert.Equal(Columns.Select(static column => column.Head), Page[0][1..]);
        Assert.Equal(Rows.Select(static row => row.Head), Page[1..].Select(static row => row[0]));
        Assert.Equal(Enum.GetValues<JobEvent>(), Rows.Select(static row => row.Happened).Distinct().Order());
    }

    [Theory]
    [MemberData(nameof(Cells))]
    public void A_cell_states_what_becomes_of_a_job(int row, int column)
    {
        var (_, happened, kind, before, at) = Rows[row];
        var change = JobRules.Decide(before(Columns[column].Job), kind, happened, at(Moment));
        Assert.Equal(Page[row + 1][column + 1], JobStatesPage.Text(change.Status, change.Verdict));
    }

    private static (string, JobEvent, JobTraits, Func<JobStatus, JobStatus>, Func<JobMoment, JobMoment>) Row(
        string head, JobEvent happened, JobTraits? kind = null, Func<JobStatus, JobStatus>? before = null, Func<JobMoment, JobMoment>? at = null) =>
        (head, happened, kind ?? Once, before ?? (static job => job), at ?? (static moment => moment));
}
