using Npgsql;
using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Rows;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Reading;

/// <summary>Lists and counts jobs.</summary>
internal sealed class ListReader(Database database)
{
    private const int MostCounted = 10_001;
    private const int MostEnded = 1_000;
    private const int MostDemanded = 10_000;

    private static readonly string[] Tables = ["job", "done_short", "done_long"];

    private readonly string _list =
        $"SELECT {RowReader.Record} FROM ("
        + string.Join(
            " UNION ALL ",
            Tables.Select(table =>
                $"(SELECT {RowReader.Record}, seq FROM {database.Schema}.{table} WHERE seq < $1 AND ($2::text IS NULL OR kind = $2) AND ($3::smallint IS NULL OR state = $3) AND ($4::text IS NULL OR key = $4) ORDER BY seq DESC LIMIT $5)"))
        + ") AS jobs ORDER BY seq DESC LIMIT $5";

    private readonly string _seq = string.Join(" UNION ALL ", Tables.Select(table => $"SELECT seq FROM {database.Schema}.{table} WHERE id = $1"));
    private readonly string _count = string.Join(" UNION ALL ", Tables.Select(table => $"SELECT kind, state, count(*) FROM {database.Schema}.{table} GROUP BY kind, state"));

    private readonly string _waiting =
        $"""
        SELECT kind, least(count(*), $1), (SELECT due FROM {database.Schema}.job AS one WHERE one.state = 2 AND one.kind = job.kind ORDER BY seq LIMIT 1)
        FROM {database.Schema}.job WHERE state <= 2 GROUP BY kind
        """;

    private readonly string _ended =
        $"""
        SELECT id, state, ended, idempotency_key IS NOT NULL AND unique_until = 0, seq FROM (
          (SELECT id, state, ended, idempotency_key, unique_until, seq FROM {database.Schema}.done_short WHERE seq > $1 ORDER BY seq LIMIT {MostEnded})
          UNION ALL (SELECT id, state, ended, idempotency_key, unique_until, seq FROM {database.Schema}.done_long WHERE seq > $1 ORDER BY seq LIMIT {MostEnded})) AS jobs
        ORDER BY seq LIMIT {MostEnded}
        """;

    private readonly string _size =
        $"SELECT sum(pg_total_relation_size(pg_class.oid))::bigint FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = '{database.SchemaName}' AND relkind = 'r'";

    private readonly string _schedules = $"SELECT {ScheduleRow.Columns} FROM {database.Schema}.schedule ORDER BY name";

    // What a kind may run at most in all is what its processes publish.
    private readonly string _demand =
        $"""
        SELECT coalesce(sum(running), 0)::bigint, coalesce(sum(CASE WHEN paused THEN 0 ELSE least(waiting, {MostDemanded}, greatest(coalesce(most, 2147483647) - running, 0)) END), 0)::bigint FROM (
          SELECT (SELECT count(*) FROM {database.Schema}.job WHERE job.kind = kinds.kind AND state = 3) AS running,
            (SELECT count(*) FROM (SELECT 1 FROM {database.Schema}.job WHERE job.kind = kinds.kind AND state = 2 LIMIT {MostDemanded}) AS few)
            + (SELECT count(*) FROM {database.Schema}.job WHERE job.kind = kinds.kind AND state = 1 AND due <= $2)
            + (SELECT count(*) FROM {database.Schema}.schedule WHERE schedule.kind = kinds.kind AND next <= $2 AND NOT schedule.paused AND undeclared IS NULL) AS waiting,
            EXISTS (SELECT FROM {database.Schema}.kind WHERE name = kinds.kind AND kind.paused) AS paused,
            (SELECT max(max_total) FROM {database.Schema}.replica_kind WHERE replica_kind.kind = kinds.kind) AS most
          FROM unnest($1) AS kinds(kind)) AS counts
        """;

    // For the time in which a process starts.
    private readonly string _soon = "SELECT (extract(epoch FROM clock_timestamp()) * 10000000)::bigint + 621355968000000000 + 300000000";

    public async Task<IReadOnlyList<JobRecord>> ListAsync(JobQuery query, CancellationToken cancellationToken)
    {
        var records = new List<JobRecord>();
        await using var connection = await database.OpenAsync(cancellationToken);
        var (pipeline, before) = (new Pipeline(connection), long.MaxValue);
        if (query.Before is { } id)
        {
            var isFound = false;
            pipeline.Query(_seq, row => (before, isFound) = (row.GetInt64(0), true)).With(id);
            await pipeline.SendAsync(cancellationToken);
            if (!isFound)
            {
                return records;
            }
        }

        pipeline.Query(_list, row => records.Add(RowReader.ReadRecord(row)))
            .With(before)
            .With(StoredText.Write(query.Kind), NpgsqlTypes.NpgsqlDbType.Text)
            .With((short?)query.State, NpgsqlTypes.NpgsqlDbType.Smallint)
            .With(StoredText.Write(query.Key), NpgsqlTypes.NpgsqlDbType.Text)
            .With(query.Limit);
        await pipeline.SendAsync(cancellationToken);
        return records;
    }

    public async Task<IReadOnlyList<JobCount>> CountAsync(CancellationToken cancellationToken)
    {
        var counts = new List<JobCount>();
        await QueryAsync(_count, row => counts.Add(new JobCount(StoredText.Read(row.GetString(0)), (JobState)row.GetInt16(1), (int)Math.Min(row.GetInt64(2), MostCounted))), static _ => { }, cancellationToken);
        return counts;
    }

    public async Task<IReadOnlyList<WaitingJobs>> CountWaitingAsync(long most, CancellationToken cancellationToken)
    {
        var waiting = new List<WaitingJobs>();
        await QueryAsync(
            _waiting,
            row => waiting.Add(new WaitingJobs(StoredText.Read(row.GetString(0)), row.GetInt64(1), row.IsDBNull(2) ? null : RowReader.Time(row.GetInt64(2)))),
            command => command.With(most),
            cancellationToken);
        return waiting;
    }

    public async Task<EndedJobs> ReadEndedAsync(long after, CancellationToken cancellationToken)
    {
        var (ended, last) = (new List<EndedJob>(), after);
        await QueryAsync(
            _ended,
            row =>
            {
                ended.Add(new EndedJob(row.GetGuid(0), (JobState)row.GetInt16(1), RowReader.Time(row.GetInt64(2)), row.GetBoolean(3)));
                last = row.GetInt64(4);
            },
            command => command.With(after),
            cancellationToken);
        return new EndedJobs(ended, ended.Count < MostEnded ? null : last);
    }

    public async Task<long?> SizeAsync(CancellationToken cancellationToken)
    {
        long? size = null;
        await QueryAsync(_size, row => size = row.IsDBNull(0) ? null : row.GetInt64(0), static _ => { }, cancellationToken);
        return size;
    }

    public async Task<IReadOnlyList<ScheduleRecord>> SchedulesAsync(CancellationToken cancellationToken)
    {
        var schedules = new List<ScheduleRecord>();
        await QueryAsync(_schedules, row => schedules.Add(ScheduleRow.Read(row)), static _ => { }, cancellationToken);
        return schedules;
    }

    public async Task<JobDemand> DemandAsync(IReadOnlyList<string> kinds, CancellationToken cancellationToken)
    {
        await using var connection = await database.OpenAsync(cancellationToken);
        var (pipeline, soon, demand) = (new Pipeline(connection), 0L, default(JobDemand));
        pipeline.Query(_soon, row => soon = row.GetInt64(0));
        await pipeline.SendAsync(cancellationToken);
        pipeline.Query(_demand, row => demand = new JobDemand(row.GetInt64(0), row.GetInt64(1))).With(kinds.Select(static kind => StoredText.Write(kind)).ToArray()).With(soon);
        await pipeline.SendAsync(cancellationToken);
        return demand;
    }

    private async Task QueryAsync(string sql, Action<NpgsqlDataReader> row, Action<NpgsqlBatchCommand> parameters, CancellationToken cancellationToken)
    {
        await using var connection = await database.OpenAsync(cancellationToken);
        var pipeline = new Pipeline(connection);
        parameters(pipeline.Query(sql, row));
        await pipeline.SendAsync(cancellationToken);
    }
}
