using System.Globalization;
using System.Text;
using Npgsql;
using Weir.Jobs.PostgreSql.Connections;

namespace Weir.Jobs.PostgreSql.Retention;

/// <summary>The parts of the tables of what has ended, one for each day by the clock of the database: they are made before their day, and dropped when the time of what they have is over.</summary>
internal static class Partitions
{
    /// <summary>How many days there are parts for, from today on.</summary>
    public const int DaysAhead = 7;

    /// <summary>The day of a transaction, as statements have it.</summary>
    public const string Today = "(now() AT TIME ZONE 'UTC')::date";

    private static readonly string[] Tables = ["done_short", "done_long", "attempt", "item"];

    /// <summary>Makes the parts that are missing. Several processes may do it at once.</summary>
    public static async Task CreateAsync(Database database, NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        // Most of the time there are all.
        if (await FindMissingAsync(database, connection, cancellationToken) is "")
        {
            return;
        }

        await using var transaction = await connection.BeginTransactionAsync(cancellationToken);
        await using (var alone = new NpgsqlCommand($"SELECT pg_advisory_xact_lock(hashtextextended('{database.SchemaName}', 0))", connection))
        {
            await alone.ExecuteNonQueryAsync(cancellationToken);
        }

        if (await FindMissingAsync(database, connection, cancellationToken) is { Length: > 0 } missing)
        {
            await using var create = new NpgsqlCommand(missing, connection);
            await create.ExecuteNonQueryAsync(cancellationToken);
        }

        await transaction.CommitAsync(cancellationToken);
    }

    // A table that is made as a part locks the whole; one that is attached does not.
    private static async Task<string> FindMissingAsync(Database database, NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        await using var find = new NpgsqlCommand(
            $"""
            SELECT "table", day FROM unnest($1::text[]) AS "table", LATERAL (SELECT ({Today} + n)::timestamp AS day FROM generate_series(0, {DaysAhead}) AS n) AS days
            WHERE NOT EXISTS (
              SELECT FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
              WHERE nspname = '{database.SchemaName}' AND relname = "table" || to_char(day, '"_"YYYYMMDD') AND relispartition)
            ORDER BY day, "table"
            """,
            connection)
        { Parameters = { new NpgsqlParameter<string[]> { TypedValue = Tables } } };
        var sql = new StringBuilder();
        await using var reader = await find.ExecuteReaderAsync(cancellationToken);
        while (await reader.ReadAsync(cancellationToken))
        {
            var (table, day) = ($"{database.Schema}.{reader.GetString(0)}", reader.GetDateTime(1));
            sql.Append(CultureInfo.InvariantCulture, $"CREATE TABLE {table}_{day:yyyyMMdd} (LIKE {table} INCLUDING ALL);")
                .Append(CultureInfo.InvariantCulture, $"ALTER TABLE {table} ATTACH PARTITION {table}_{day:yyyyMMdd} FOR VALUES FROM ('{day:yyyy-MM-dd}') TO ('{day.AddDays(1):yyyy-MM-dd}');");
        }

        return sql.ToString();
    }
}
