using Weir.Jobs.Rules;
using Weir.Jobs.Sqlite.Interop;

namespace Weir.Jobs.Sqlite.Rows;

/// <summary>What of a row of <c>job</c> changes with its state.</summary>
internal struct JobRow
{
    /// <summary>The columns, in the order in which <see cref="Read"/> takes them, from 0 on.</summary>
    public const string Columns =
        "seq, kind, state, reason, stop, fence, open, due, starts, failures, crashes, losses, retries, refusals, not_understood, ready, started, ended, items, run, attempts";

    /// <summary>How many columns that are.</summary>
    public const int Width = 21;

    /// <summary>Its number: in the order of submission.</summary>
    public long Seq;

    public int Kind;

    public JobStatus Status;

    /// <summary>Its place among jobs of its key that are ready.</summary>
    public long Ready;

    /// <summary>When it was last claimed; before, when it was submitted.</summary>
    public DateTimeOffset Started;

    /// <summary>When it ended; before, when it was submitted.</summary>
    public DateTimeOffset Ended;

    public long Items;

    public int Run;

    /// <summary>How many attempts ended without success.</summary>
    public int Attempts;

    public static JobRow Read(Statement row) => new()
    {
        Seq = row.Long(0),
        Kind = row.Int(1),
        Status = new JobStatus
        {
            State = (JobState)row.Int(2),
            Reason = (JobReason)row.Int(3),
            Stop = (JobStop)row.Int(4),
            Fence = row.Long(5),
            IsOpen = row.Int(6) != 0,
            Due = row.Time(7),
            Starts = row.Int(8),
            Failures = row.Int(9),
            Crashes = row.Int(10),
            Losses = row.Int(11),
            AskedRetries = row.Int(12),
            Refusals = row.Int(13),
            NotUnderstoodSince = row.Long(14) == 0 ? null : row.Time(14),
        },
        Ready = row.Long(15),
        Started = row.Time(16),
        Ended = row.Time(17),
        Items = row.Long(18),
        Run = row.Int(19),
        Attempts = row.Int(20),
    };
}
