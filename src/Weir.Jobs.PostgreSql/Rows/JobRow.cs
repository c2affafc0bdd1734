using Npgsql;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Rows;

/// <summary>Where a row is.</summary>
internal enum RowPlace
{
    /// <summary>Nowhere yet.</summary>
    New,

    /// <summary>Among jobs that have not ended.</summary>
    Open,

    /// <summary>Among those that succeeded, were cancelled or expired.</summary>
    Short,

    /// <summary>Among those that failed.</summary>
    Long,
}

/// <summary>What a commit knows of a job that it names, and what it changes in it.</summary>
internal sealed class JobRow
{
    private const int At = RowReader.StatusWidth;

    /// <summary>The columns that are read. The last one is for those whose arguments are edited: $2 has their ids.</summary>
    public const string Columns =
        RowReader.Status + ", id, kind, key, owner, idempotency_key, unique_until, fingerprint, ready, started, ended, items, run, attempts, expires, progress, progress_text, watched, replica, CASE WHEN id = ANY($2) THEN arguments END";

    public required Guid Id { get; init; }

    public required string Kind { get; init; }

    public string? Owner { get; init; }

    public string? IdempotencyKey { get; init; }

    public JobUniqueness UniqueUntil { get; init; }

    public ulong Fingerprint { get; init; }

    public bool IsWatched { get; init; }

    /// <summary>Where it is stored.</summary>
    public required RowPlace Place { get; init; }

    /// <summary>What is submitted, of one that is new.</summary>
    public NewJob? Call { get; init; }

    /// <summary>Its place in the order of submission, of one that is new.</summary>
    public long Seq { get; init; }

    public string Key { get; set; } = "";

    public JobStatus Status { get; set; }

    /// <summary>Its place among jobs that are ready: another one each time it becomes ready.</summary>
    public long Ready { get; set; }

    public long Started { get; set; }

    public long Ended { get; set; }

    public long Items { get; set; }

    public int Run { get; set; }

    public int Attempts { get; set; }

    public long Expires { get; set; }

    public JobProgress? Progress { get; set; }

    /// <summary>Which process has claimed it, of one that runs.</summary>
    public Guid? Replica { get; set; }

    /// <summary>The arguments, where they are edited.</summary>
    public ReadOnlyMemory<byte> Arguments { get; set; }

    /// <summary>Of arguments that were edited.</summary>
    public ulong Signature { get; set; }

    /// <summary>Why its last attempt ended, where that is new.</summary>
    public ReadOnlyMemory<byte>? Failure { get; set; }

    /// <summary>What it brought, where that is new.</summary>
    public ReadOnlyMemory<byte>? Result { get; set; }

    /// <summary>Whether it was begun again: what the run before brought is dropped.</summary>
    public bool BeganAgain { get; set; }

    public bool IsChanged { get; set; }

    public bool IsEdited { get; set; }

    /// <summary>Whether it is deleted.</summary>
    public bool IsGone { get; set; }

    /// <summary>Whether its idempotency key stands for it, so that no other job can have it.</summary>
    public bool HoldsKey => IdempotencyKey is not null && !IsGone && (UniqueUntil == JobUniqueness.Retention || !Status.HasEnded);

    /// <summary>Where it belongs.</summary>
    public RowPlace Target => !Status.HasEnded ? RowPlace.Open : Status.State == JobState.Failed ? RowPlace.Long : RowPlace.Short;

    public static JobRow Read(NpgsqlDataReader reader, RowPlace place) => new()
    {
        Status = RowReader.ReadStatus(reader),
        Id = reader.GetGuid(At),
        Kind = StoredText.Read(reader.GetString(At + 1)),
        Key = StoredText.Read(reader.GetString(At + 2)),
        Owner = RowReader.Text(reader, At + 3),
        IdempotencyKey = RowReader.Text(reader, At + 4),
        UniqueUntil = (JobUniqueness)reader.GetInt16(At + 5),
        Fingerprint = (ulong)reader.GetInt64(At + 6),
        Ready = reader.GetInt64(At + 7),
        Started = reader.GetInt64(At + 8),
        Ended = reader.GetInt64(At + 9),
        Items = reader.GetInt64(At + 10),
        Run = reader.GetInt32(At + 11),
        Attempts = reader.GetInt32(At + 12),
        Expires = reader.GetInt64(At + 13),
        Progress = RowReader.Progress(reader, At + 14),
        IsWatched = reader.GetBoolean(At + 16),
        Replica = reader.IsDBNull(At + 17) ? null : reader.GetGuid(At + 17),
        Arguments = reader.IsDBNull(At + 18) ? default(ReadOnlyMemory<byte>) : reader.GetFieldValue<byte[]>(At + 18),
        Place = place,
    };
}
