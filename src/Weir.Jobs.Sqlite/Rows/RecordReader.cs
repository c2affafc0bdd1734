using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Sqlite.Rows;

/// <summary>Makes records of rows. For one connection.</summary>
internal sealed class RecordReader(Connection connection, Kinds kinds, Blobs blobs)
{
    /// <summary>The columns that a record is read of, from 0 on.</summary>
    public const string Columns =
        JobRow.Columns + ", id, submitted, signature, priority, key, owner, parent, trace_parent, trace_state, culture, progress, progress_text, first_due, expires";

    /// <summary>How many columns that are.</summary>
    public const int Width = JobRow.Width + 14;

    private readonly Statement _failure = connection.Prepare("SELECT failure, blob, size, failure_check FROM attempt WHERE job = ?1 AND number <= ?2 AND happened <> 18 ORDER BY number DESC LIMIT 1");

    /// <summary>Of the current row of a statement.</summary>
    public JobRecord Read(Statement statement) => Read(statement, JobRow.Read(statement));

    /// <summary>Of the current row of a statement, with what has changed in it since.</summary>
    public JobRecord Read(Statement statement, in JobRow row) => new()
    {
        Id = statement.Id(JobRow.Width),
        Kind = kinds.Name(row.Kind),
        Signature = (ulong)statement.Long(JobRow.Width + 2),
        Status = row.Status,
        Submitted = statement.Time(JobRow.Width + 1),
        Started = row.Status.Starts == 0 ? null : row.Started,
        Ended = row.Status.HasEnded ? row.Ended : null,
        ScheduledFor = statement.Long(JobRow.Width + 12) == 0 ? row.Status.Due : statement.Time(JobRow.Width + 12),
        Expires = statement.Long(JobRow.Width + 13) == 0 ? null : statement.Time(JobRow.Width + 13),
        Priority = (JobPriority)statement.Int(JobRow.Width + 3),
        Key = statement.Text(JobRow.Width + 4)!,
        Owner = statement.Text(JobRow.Width + 5),
        Parent = statement.IsNull(JobRow.Width + 6) ? null : statement.Id(JobRow.Width + 6),
        TraceParent = statement.Text(JobRow.Width + 7),
        TraceState = statement.Text(JobRow.Width + 8),
        Culture = statement.Text(JobRow.Width + 9),
        Items = row.Items,
        Run = row.Run,
        Progress = statement.IsNull(JobRow.Width + 10) ? null : new JobProgress(statement.Double(JobRow.Width + 10), statement.Text(JobRow.Width + 11)),
        Failure = row.Attempts == 0 ? default : ReadFailure(row),
    };

    // Of the last attempt, which is not arguments that were edited (18). A damaged one is missing here, so that a list has the others: reading the attempts says so.
    private ReadOnlyMemory<byte> ReadFailure(in JobRow row)
    {
        using (_failure.Bind(1, row.Seq).Bind(2, row.Attempts).Use())
        {
            return _failure.Step() ? blobs.Read(_failure, 0, new StoredBytes(_failure.Long(1), _failure.Int(2), (uint)_failure.Long(3)), row.Seq) : default(ReadOnlyMemory<byte>);
        }
    }
}
