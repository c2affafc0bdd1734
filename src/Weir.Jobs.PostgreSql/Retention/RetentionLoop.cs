using System.Globalization;
using Npgsql;
using Weir.Jobs.PostgreSql.Connections;

namespace Weir.Jobs.PostgreSql.Retention;

/// <summary>Once an hour, makes the parts of the days to come, and drops those whose time is over. Each process has one; what another has done is left alone.</summary>
internal sealed class RetentionLoop : IAsyncDisposable
{
    private const int KeysAtOnce = 10_000;
    private static readonly TimeSpan Period = TimeSpan.FromHours(1);
    private static readonly TimeSpan KeysKept = TimeSpan.FromHours(1);

    private readonly Database _database;
    private readonly RetentionTimes _times;
    private readonly TimeProvider _time;
    private readonly CancellationTokenSource _closed = new();
    private readonly Task _loop;

    public RetentionLoop(Database database, RetentionTimes times, TimeProvider time)
    {
        (_database, _times, _time) = (database, times, time);
        _loop = Task.Run(RunAsync);
    }

    public async ValueTask DisposeAsync()
    {
        await _closed.CancelAsync();
        await _loop;
        _closed.Dispose();
    }

    /// <summary>Makes and drops parts.</summary>
    /// <param name="database">The database.</param>
    /// <param name="times">How long what has ended is kept.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The parts that were dropped.</returns>
    public static async Task<List<string>> ApplyAsync(Database database, RetentionTimes times, CancellationToken cancellationToken)
    {
        await using var connection = await database.OpenAsync(cancellationToken);
        await Partitions.CreateAsync(database, connection, cancellationToken);
        var dropped = new List<string>();
        foreach (var (table, part) in await FindOldAsync(database, connection, times, cancellationToken))
        {
            if (await TryDropAsync(database, connection, table, part, cancellationToken))
            {
                dropped.Add(part);
            }
        }

        // A marker is asked for within seconds.
        await using var markers = new NpgsqlCommand($"DELETE FROM {database.Schema}.commit WHERE made < now() - interval '7 days'", connection);
        await markers.ExecuteNonQueryAsync(cancellationToken);
        return dropped;
    }

    // A part is old when the time of the last that may be in it is over. Attempts and items stay as long as the job that they may be of.
    private static async Task<List<(string Table, string Part)>> FindOldAsync(Database database, NpgsqlConnection connection, RetentionTimes times, CancellationToken cancellationToken)
    {
        var kept = times.Kept < KeysKept ? KeysKept : times.Kept;
        var failed = times.Failed < KeysKept ? KeysKept : times.Failed;
        await using var find = new NpgsqlCommand(
            $"""
            SELECT "table", part FROM (
              SELECT parent.relname AS "table", part.relname AS part, to_date(right(part.relname, 8), 'YYYYMMDD') AS day
              FROM pg_catalog.pg_inherits JOIN pg_catalog.pg_class AS part ON part.oid = inhrelid JOIN pg_catalog.pg_class AS parent ON parent.oid = inhparent
              JOIN pg_catalog.pg_namespace ON pg_namespace.oid = parent.relnamespace
              WHERE nspname = '{database.SchemaName}' AND parent.relname IN ('done_short', 'done_long', 'attempt', 'item') AND parent.relkind = 'p') AS parts,
              LATERAL (SELECT CASE "table" WHEN 'done_short' THEN $1 WHEN 'done_long' THEN $2 ELSE $3 END AS seconds) AS kept
            WHERE seconds IS NOT NULL AND day + 1 <= (now() AT TIME ZONE 'UTC') - seconds * interval '1 second'
              AND ("table" LIKE 'done%' OR NOT EXISTS (SELECT FROM {database.Schema}.job WHERE first_day <= day))
            ORDER BY day, "table"
            """,
            connection)
        {
            Parameters = { Seconds(kept), Seconds(failed), Seconds(kept is null || failed is null ? null : kept > failed ? kept + TimeSpan.FromDays(1) : failed + TimeSpan.FromDays(1)) },
        };
        var found = new List<(string Table, string Part)>();
        await using var reader = await find.ExecuteReaderAsync(cancellationToken);
        while (await reader.ReadAsync(cancellationToken))
        {
            found.Add((reader.GetString(0), reader.GetString(1)));
        }

        return found;
    }

    private static NpgsqlParameter Seconds(TimeSpan? time) => new() { Value = time is { } some ? some.TotalSeconds : DBNull.Value, NpgsqlDbType = NpgsqlTypes.NpgsqlDbType.Double };

    // Keys first, some at once: a key without its job would refuse submissions. A part that is in use now is dropped in an hour.
    private static async Task<bool> TryDropAsync(Database database, NpgsqlConnection connection, string table, string part, CancellationToken cancellationToken)
    {
        try
        {
            if (table is "done_short" or "done_long")
            {
                await using var keys = new NpgsqlCommand(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"""
                        DELETE FROM {database.Schema}.key WHERE ctid = ANY(ARRAY(
                          SELECT key.ctid FROM {database.Schema}.{part} AS old JOIN {database.Schema}.key ON key.kind = old.kind AND key.key = old.idempotency_key
                            AND coalesce('o' || key.owner, '') = coalesce('o' || old.owner, '') AND key.job = old.id
                          WHERE old.idempotency_key IS NOT NULL LIMIT {KeysAtOnce} FOR UPDATE OF key))
                        """),
                    connection);
                while (await keys.ExecuteNonQueryAsync(cancellationToken) == KeysAtOnce)
                {
                }
            }

            await using var transaction = await connection.BeginTransactionAsync(cancellationToken);
            await using var drop = new NpgsqlCommand($"SET LOCAL lock_timeout = '500ms'; DROP TABLE IF EXISTS {database.Schema}.{part}", connection);
            await drop.ExecuteNonQueryAsync(cancellationToken);
            await transaction.CommitAsync(cancellationToken);
            return true;
        }
        catch (PostgresException)
        {
            return false;
        }
    }

    private async Task RunAsync()
    {
        try
        {
            for (; ; await Task.Delay(Period, _time, _closed.Token))
            {
                try
                {
                    await ApplyAsync(_database, _times, _closed.Token);
                }
                catch (Exception error) when (Failures.IsOfDatabase(error) && !_closed.IsCancellationRequested)
                {
                    // Parts are made a week ahead, and a commit that finds none makes it.
                }
            }
        }
        catch (Exception) when (_closed.IsCancellationRequested)
        {
            // The store is closed.
        }
    }
}
