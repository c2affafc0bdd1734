using Npgsql;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Rows;

/// <summary>Reads the columns of jobs.</summary>
internal static class RowReader
{
    /// <summary>The columns of a status.</summary>
    public const string Status = "state, reason, stop, fence, open, due, starts, failures, crashes, losses, retries, refusals, not_understood";

    /// <summary>How many those are.</summary>
    public const int StatusWidth = 13;

    /// <summary>The columns of a record.</summary>
    public const string Record =
        Status + ", id, kind, signature, submitted, started, ended, first_due, expires, priority, key, owner, parent, trace_parent, trace_state, culture, items, run, progress, progress_text, failure";

    /// <summary>How many those are.</summary>
    public const int RecordWidth = StatusWidth + 20;

    /// <summary>A time of ticks.</summary>
    public static DateTimeOffset Time(long ticks) => new(ticks, TimeSpan.Zero);

    /// <summary>The status of the current row, from a column on.</summary>
    public static JobStatus ReadStatus(NpgsqlDataReader reader, int at = 0) => new()
    {
        State = (JobState)reader.GetInt16(at),
        Reason = (JobReason)reader.GetInt16(at + 1),
        Stop = (JobStop)reader.GetInt16(at + 2),
        Fence = reader.GetInt64(at + 3),
        IsOpen = reader.GetBoolean(at + 4),
        Due = Time(reader.GetInt64(at + 5)),
        Starts = reader.GetInt32(at + 6),
        Failures = reader.GetInt32(at + 7),
        Crashes = reader.GetInt32(at + 8),
        Losses = reader.GetInt32(at + 9),
        AskedRetries = reader.GetInt32(at + 10),
        Refusals = reader.GetInt32(at + 11),
        NotUnderstoodSince = reader.GetInt64(at + 12) is not 0 and var since ? Time(since) : null,
    };

    /// <summary>The record of the current row, from its first column on.</summary>
    public static JobRecord ReadRecord(NpgsqlDataReader reader)
    {
        const int At = StatusWidth;
        var status = ReadStatus(reader);
        return new JobRecord
        {
            Id = reader.GetGuid(At),
            Kind = StoredText.Read(reader.GetString(At + 1)),
            Signature = (ulong)reader.GetInt64(At + 2),
            Status = status,
            Submitted = Time(reader.GetInt64(At + 3)),
            Started = status.Starts == 0 ? null : Time(reader.GetInt64(At + 4)),
            Ended = status.HasEnded ? Time(reader.GetInt64(At + 5)) : null,
            ScheduledFor = Time(reader.GetInt64(At + 6)),
            Expires = reader.GetInt64(At + 7) is not 0 and var expires ? Time(expires) : null,
            Priority = (JobPriority)reader.GetInt16(At + 8),
            Key = StoredText.Read(reader.GetString(At + 9)),
            Owner = Text(reader, At + 10),
            Parent = reader.IsDBNull(At + 11) ? null : reader.GetGuid(At + 11),
            TraceParent = Text(reader, At + 12),
            TraceState = Text(reader, At + 13),
            Culture = Text(reader, At + 14),
            Items = reader.GetInt64(At + 15),
            Run = reader.GetInt32(At + 16),
            Progress = Progress(reader, At + 17),
            Failure = reader.IsDBNull(At + 19) ? default(ReadOnlyMemory<byte>) : reader.GetFieldValue<byte[]>(At + 19),
        };
    }

    /// <summary>A text that need not be there.</summary>
    public static string? Text(NpgsqlDataReader reader, int at) => reader.IsDBNull(at) ? null : StoredText.Read(reader.GetString(at));

    /// <summary>The progress in this column and the next.</summary>
    public static JobProgress? Progress(NpgsqlDataReader reader, int at) => reader.IsDBNull(at) ? null : new JobProgress(reader.GetDouble(at), Text(reader, at + 1));
}
