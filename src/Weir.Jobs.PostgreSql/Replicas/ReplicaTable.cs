using Npgsql;
using NpgsqlTypes;
using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Rows;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Replicas;

/// <summary>
/// The rows of processes, and what a process looks up with each renewal. Each method is one round trip and one transaction. A claim takes FOR KEY SHARE of the row of its process, and a declaration FOR UPDATE: a process that
/// was presumed lost claims nothing after that, and one with a claim on its way is not presumed lost. A renewal waits for neither.
/// </summary>
/// <param name="database">Has the schema, which is also the channel.</param>
internal sealed class ReplicaTable(Database database)
{
    private const int MostLost = 1_000;
    private const int MostOwn = 10_000;

    private readonly string _insert = $"INSERT INTO {database.Schema}.replica (id, host, started, renewed) VALUES ($1, $2, clock_timestamp(), clock_timestamp()) RETURNING renewed";

    private readonly string _insertKinds = $"INSERT INTO {database.Schema}.replica_kind (replica, kind, signature, max_total) SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::int[])";

    private readonly string _renew = $"UPDATE {database.Schema}.replica SET renewed = clock_timestamp() WHERE id = $1 AND NOT lost RETURNING renewed";

    private readonly string _declare =
        $"""
        WITH late AS MATERIALIZED (
          SELECT id FROM {database.Schema}.replica WHERE NOT lost AND id <> $1 AND renewed < clock_timestamp() - $2 AND clock_timestamp() < $3 ORDER BY id FOR UPDATE SKIP LOCKED)
        UPDATE {database.Schema}.replica SET lost = true FROM late WHERE replica.id = late.id RETURNING replica.id, replica.host
        """;

    private readonly string _deleteLost =
        $"""
        WITH gone AS MATERIALIZED (
          SELECT id FROM {database.Schema}.replica WHERE lost AND NOT EXISTS (SELECT FROM {database.Schema}.job WHERE job.replica = replica.id AND job.state = 3) ORDER BY id FOR UPDATE SKIP LOCKED)
        DELETE FROM {database.Schema}.replica USING gone WHERE replica.id = gone.id RETURNING replica.id
        """;

    // The processes that have claimed what runs, by jumps in the index: few, however much runs.
    private readonly string _lost =
        $"""
        WITH RECURSIVE owner (id) AS (
          (SELECT replica FROM {database.Schema}.job WHERE state = 3 AND replica IS NOT NULL ORDER BY replica LIMIT 1)
          UNION ALL
          SELECT (SELECT job.replica FROM {database.Schema}.job WHERE job.state = 3 AND job.replica > owner.id ORDER BY job.replica LIMIT 1) FROM owner WHERE owner.id IS NOT NULL),
        gone AS MATERIALIZED (
          SELECT id FROM owner WHERE id IS NOT NULL AND id <> ALL ($1) AND NOT EXISTS (SELECT FROM {database.Schema}.replica WHERE replica.id = owner.id AND NOT replica.lost))
        SELECT job.id, job.kind, job.fence, job.items FROM gone JOIN {database.Schema}.job ON job.replica = gone.id AND job.kind = ANY ($2) AND job.state = 3 LIMIT $3
        """;

    private readonly string _own = $"SELECT id, kind, fence, items FROM {database.Schema}.job WHERE replica = ANY ($1) AND state = 3 LIMIT $2";

    private readonly string _paused = $"SELECT name FROM {database.Schema}.kind WHERE paused";

    private readonly string _ready = $"SELECT own.kind FROM unnest($1::text[]) AS own (kind) WHERE EXISTS (SELECT FROM {database.Schema}.job WHERE job.kind = own.kind AND job.state = 2)";

    private readonly string _due =
        $"""
        SELECT least(
          (SELECT due FROM {database.Schema}.job WHERE state = 1 ORDER BY due LIMIT 1),
          (SELECT expires FROM {database.Schema}.job WHERE expires <> 0 AND state <= 2 AND starts = 0 ORDER BY expires LIMIT 1))
        """;

    private readonly string _stops = $"SELECT id, fence FROM {database.Schema}.job WHERE replica = ANY ($1) AND state = 3 AND stop = {(int)JobStop.Cancel}";

    private readonly string _watched =
        $"""
        SELECT watched.id, job.run, job.items, job.progress, hashtext(job.progress_text)
        FROM unnest($1::uuid[]) AS watched (id) LEFT JOIN {database.Schema}.job ON job.id = watched.id
        """;

    private readonly string _foreign =
        $"""
        SELECT DISTINCT other.kind, other.signature
        FROM unnest($2::text[], $3::bigint[]) AS own (kind, signature)
        JOIN {database.Schema}.replica_kind AS other ON other.kind = own.kind AND other.signature <> own.signature
        JOIN {database.Schema}.replica ON replica.id = other.replica AND NOT replica.lost
        WHERE other.replica <> $1
        """;

    private readonly string _others = $"SELECT count(*) FROM {database.Schema}.replica WHERE NOT lost AND id <> $1";

    private readonly string _leave = $"DELETE FROM {database.Schema}.replica_kind WHERE replica = ANY ($1)";

    private readonly string _delete =
        $"DELETE FROM {database.Schema}.replica WHERE id = ANY ($1) AND NOT EXISTS (SELECT FROM {database.Schema}.job WHERE job.replica = replica.id AND job.state = 3)";

    private readonly string _mark =
        $"""
        WITH free AS MATERIALIZED (SELECT id FROM {database.Schema}.job WHERE id = ANY ($1) AND NOT watched ORDER BY id FOR UPDATE SKIP LOCKED)
        UPDATE {database.Schema}.job SET watched = true WHERE id = ANY (ARRAY(SELECT id FROM free))
        """;

    private readonly string _notMarked = $"SELECT id FROM {database.Schema}.job WHERE id = ANY ($1) AND NOT watched";

    /// <summary>Adds a process, with a lease and the kinds that it runs, and says so to the others.</summary>
    /// <returns>The time of the database.</returns>
    public async Task<DateTime> RegisterAsync(NpgsqlConnection connection, Guid id, string host, IReadOnlyList<ReplicaKind> kinds, CancellationToken cancellationToken)
    {
        await using var batch = new NpgsqlBatch(connection);
        batch.Add(_insert).With(id).With(host);
        if (kinds.Count > 0)
        {
            batch.Add(_insertKinds)
                .With(id)
                .With(kinds.Select(static kind => StoredText.Write(kind.Kind)).ToArray())
                .With(kinds.Select(static kind => unchecked((long)kind.Signature)).ToArray())
                .With(kinds.Select(static kind => kind.MaxTotal).ToArray());
        }

        AddNotify(batch, NewsPayload.Encode(id, new ReplicaNews { Versions = true }));
        await using var reader = await batch.ExecuteReaderAsync(cancellationToken);
        await reader.ReadAsync(cancellationToken);
        var renewed = reader.GetDateTime(0);
        while (await reader.NextResultAsync(cancellationToken))
        {
        }

        return renewed;
    }

    /// <summary>Renews a lease, and looks up everything that a notification could have said.</summary>
    public async Task<ReplicaLook> RenewAsync(NpgsqlConnection connection, ReplicaQuestion question, TimeSpan lease, CancellationToken cancellationToken)
    {
        var look = new ReplicaLook();
        List<Action<NpgsqlDataReader>> rows = [];
        await using var batch = new NpgsqlBatch(connection);
        var (id, kinds) = (question.Ids[0], Stored(question.Kinds));

        Add(_renew, reader => look.Renewed = reader.GetDateTime(0)).With(id);
        if (question.Declares is { } before)
        {
            Add(_declare, reader => look.Declared.Add((reader.GetGuid(0), reader.GetString(1)))).With(id).With(lease, NpgsqlDbType.Interval).With(before, NpgsqlDbType.TimestampTz);
            Add(_deleteLost, static _ => { });
        }

        if (question.Kinds.Length > 0)
        {
            Add(_lost, reader => look.Lost.Add(Attempt(reader))).With(question.Ids).With(kinds).With(MostLost);
            Add(_own, reader => look.Own.Add(Attempt(reader))).With(question.Ids).With(MostOwn);
            Add(_ready, reader => look.Ready.Add(StoredText.Read(reader.GetString(0)))).With(kinds);
            Add(_stops, reader => look.Stops.Add(new AttemptId(reader.GetGuid(0), reader.GetInt64(1)))).With(question.Ids);
            Add(_foreign, reader => look.Foreign.Add((StoredText.Read(reader.GetString(0)), reader.GetInt64(1)))).With(id).With(kinds).With(question.Signatures);
        }

        Add(_paused, reader => look.Paused.Add(StoredText.Read(reader.GetString(0))));
        Add(_due, reader => look.NextDue = reader.IsDBNull(0) ? null : new DateTimeOffset(reader.GetInt64(0), TimeSpan.Zero));
        if (question.Watched.Length > 0)
        {
            Add(_watched, reader => look.Watched.Add((reader.GetGuid(0), State(reader)))).With(question.Watched);
        }

        Add(_others, reader => look.Others = reader.GetInt64(0)).With(id);

        // Each statement returns rows, or none: a reader leaves out those that do not.
        await using var reader = await batch.ExecuteReaderAsync(cancellationToken);
        foreach (var row in rows)
        {
            while (await reader.ReadAsync(cancellationToken))
            {
                row(reader);
            }

            await reader.NextResultAsync(cancellationToken);
        }

        return look;

        NpgsqlBatchCommand Add(string sql, Action<NpgsqlDataReader> row)
        {
            rows.Add(row);
            return batch.Add(sql);
        }
    }

    /// <summary>A process runs no kinds any more.</summary>
    public async Task LeaveAsync(NpgsqlConnection connection, Guid[] ids, CancellationToken cancellationToken)
    {
        await using var batch = new NpgsqlBatch(connection);
        batch.Add(_leave).With(ids);
        AddNotify(batch, NewsPayload.Encode(ids[0], new ReplicaNews { Versions = true }));
        await batch.ExecuteNonQueryAsync(cancellationToken);
    }

    /// <summary>A process has ended: its rows are deleted if nothing of it runs. Else others find that when its lease is over.</summary>
    public async Task DeleteAsync(NpgsqlConnection connection, Guid[] ids, CancellationToken cancellationToken)
    {
        await using var batch = new NpgsqlBatch(connection);
        batch.Add(_delete).With(ids);
        AddNotify(batch, NewsPayload.Encode(ids[0], new ReplicaNews { Versions = true }));
        await batch.ExecuteNonQueryAsync(cancellationToken);
    }

    /// <summary>Commits say from now on what happens to jobs. Nothing that lasts depends on it: the disk is not waited for, and neither is a commit that has one of them now.</summary>
    /// <returns>Those that a commit has.</returns>
    public async Task<Guid[]> MarkAsync(NpgsqlConnection connection, Guid[] jobs, CancellationToken cancellationToken)
    {
        var left = new List<Guid>();
        await using var batch = new NpgsqlBatch(connection);
        batch.Add("SELECT set_config('synchronous_commit', 'off', true)");
        batch.Add(_mark).With(jobs);
        batch.Add(_notMarked).With(jobs);
        await using var reader = await batch.ExecuteReaderAsync(cancellationToken);
        await reader.NextResultAsync(cancellationToken);
        while (await reader.ReadAsync(cancellationToken))
        {
            left.Add(reader.GetGuid(0));
        }

        return [.. left];
    }

    /// <summary>Sends a notification.</summary>
    public async Task NotifyAsync(NpgsqlConnection connection, string payload, CancellationToken cancellationToken)
    {
        await using var batch = new NpgsqlBatch(connection);
        AddNotify(batch, payload);
        await batch.ExecuteNonQueryAsync(cancellationToken);
    }

    /// <summary>Adds a notification to a batch: others get it when the transaction commits.</summary>
    public void AddNotify(NpgsqlBatch batch, string payload) => batch.Add("SELECT pg_notify($1, $2)").With(database.SchemaName).With(payload);

    private static LostAttempt Attempt(NpgsqlDataReader reader) => new(reader.GetGuid(0), StoredText.Read(reader.GetString(1)), reader.GetInt64(2), reader.GetInt64(3));

    private static string[] Stored(string[] kinds) => Array.ConvertAll(kinds, static kind => StoredText.Write(kind));

    private static WatchedState? State(NpgsqlDataReader reader) => reader.IsDBNull(1)
        ? null
        : new WatchedState(reader.GetInt32(1), reader.GetInt64(2), reader.IsDBNull(3) ? null : reader.GetDouble(3), reader.IsDBNull(4) ? null : reader.GetInt32(4));
}
