using Npgsql;
using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Rows;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Reading;

/// <summary>
/// Reads one job, and what it brought. A job is looked for among those that have not ended, which costs a sixth; then everywhere, in one statement, so that none is missed that moves.
/// </summary>
internal sealed class JobReader(Database database)
{
    private const int ReadSize = 1024 * 1024;

    private const string Call = $"{RowReader.Record}, arguments, idempotency_key, fingerprint, unique_until";

    private readonly string _findOpen = Open(database, RowReader.Record);
    private readonly string _find = All(database, RowReader.Record);
    private readonly string _callOpen = Open(database, Call);
    private readonly string _call = All(database, Call);

    private readonly string _result =
        $"""
        SELECT result FROM {database.Schema}.done_short WHERE id = $1 AND state = 4
        """;

    // The sizes first: what is too much is not read.
    private readonly string _items =
        $"""
        SELECT data FROM (
          SELECT data, number, sum(octet_length(data)) OVER (ORDER BY number) AS size FROM (
            SELECT data, number FROM {database.Schema}.item WHERE job = $1 AND run = $2 AND number >= $3 ORDER BY number LIMIT 1000) AS some_items) AS sized
        WHERE size <= {ReadSize} OR number = $3 ORDER BY number
        """;

    private readonly string _attempts = $"SELECT fence, started, ended, happened, stop, failure FROM {database.Schema}.attempt WHERE job = $1 ORDER BY number";

    public async Task<JobRecord?> FindAsync(Guid id, CancellationToken cancellationToken)
    {
        JobRecord? found = null;
        await FindAsync(_findOpen, _find, id, row => found = RowReader.ReadRecord(row), cancellationToken);
        return found;
    }

    public async Task<NewJob?> FindCallAsync(Guid id, CancellationToken cancellationToken)
    {
        const int At = RowReader.RecordWidth;
        NewJob? found = null;
        await FindAsync(
            _callOpen,
            _call,
            id,
            row =>
            {
                var record = RowReader.ReadRecord(row);
                found = new NewJob
                {
                    Id = id,
                    Kind = record.Kind,
                    Signature = record.Signature,
                    Arguments = row.GetFieldValue<byte[]>(At),
                    Submitted = record.Submitted,
                    Due = record.ScheduledFor,
                    Expires = record.Expires,
                    Priority = record.Priority,
                    Key = record.Key,
                    Owner = record.Owner,
                    Parent = record.Parent,
                    TraceParent = record.TraceParent,
                    TraceState = record.TraceState,
                    Culture = record.Culture,
                    IdempotencyKey = RowReader.Text(row, At + 1),
                    Fingerprint = (ulong)row.GetInt64(At + 2),
                    UniqueUntil = (JobUniqueness)row.GetInt16(At + 3),
                };
            },
            cancellationToken);
        return found;
    }

    public async Task<ReadOnlyMemory<byte>?> ReadResultAsync(Guid id, CancellationToken cancellationToken)
    {
        ReadOnlyMemory<byte>? result = null;
        await QueryAsync(_result, row => result = row.IsDBNull(0) ? null : row.GetFieldValue<byte[]>(0), command => command.With(id), cancellationToken);
        return result;
    }

    public async Task<IReadOnlyList<ReadOnlyMemory<byte>>> ReadItemsAsync(Guid id, int run, long from, CancellationToken cancellationToken)
    {
        var items = new List<ReadOnlyMemory<byte>>();
        await QueryAsync(_items, row => items.Add(row.GetFieldValue<byte[]>(0)), command => command.With(id).With(run).With(from), cancellationToken);
        return items;
    }

    public async Task<IReadOnlyList<JobAttempt>> ReadAttemptsAsync(Guid id, CancellationToken cancellationToken)
    {
        var attempts = new List<JobAttempt>();
        await QueryAsync(
            _attempts,
            row => attempts.Add(new JobAttempt(
                row.GetInt64(0), RowReader.Time(row.GetInt64(1)), RowReader.Time(row.GetInt64(2)), (JobEvent)row.GetInt16(3), (JobStop)row.GetInt16(4), row.GetFieldValue<byte[]>(5))),
            command => command.With(id),
            cancellationToken);
        return attempts;
    }

    private static string Open(Database database, string columns) => $"SELECT {columns} FROM {database.Schema}.job WHERE id = $1";

    private static string All(Database database, string columns) =>
        $"""
        {Open(database, columns)}
        UNION ALL SELECT {columns} FROM {database.Schema}.done_short WHERE id = $1
        UNION ALL SELECT {columns} FROM {database.Schema}.done_long WHERE id = $1
        """;

    private async Task FindAsync(string open, string all, Guid id, Action<NpgsqlDataReader> row, CancellationToken cancellationToken)
    {
        await using var connection = await database.OpenAsync(cancellationToken);
        var (pipeline, isFound) = (new Pipeline(connection), false);
        pipeline.Query(open, Found).With(id);
        await pipeline.SendAsync(cancellationToken);
        if (!isFound)
        {
            pipeline.Query(all, row).With(id);
            await pipeline.SendAsync(cancellationToken);
        }

        void Found(NpgsqlDataReader reader)
        {
            isFound = true;
            row(reader);
        }
    }

    private async Task QueryAsync(string sql, Action<NpgsqlDataReader>? row, Action<NpgsqlBatchCommand> parameters, CancellationToken cancellationToken)
    {
        await using var connection = await database.OpenAsync(cancellationToken);
        var pipeline = new Pipeline(connection);
        parameters(row is null ? pipeline.Add(sql) : pipeline.Query(sql, row));
        await pipeline.SendAsync(cancellationToken);
    }
}
