using Npgsql;

namespace Weir.Jobs.PostgreSql.Tests.Storage;

/// <summary>What the catalog says of a schema, as text that is the same in each database: everything but the tables of days, which differ.</summary>
internal static class SchemaDump
{
    // Columns are in their order; the rest is sorted by bytes.
    private const string Sql =
        """
        WITH relation AS (
          SELECT pg_class.*, array_to_string(reloptions, ', ') AS options, (SELECT array_to_string(toast.reloptions, ', toast.') FROM pg_class AS toast WHERE toast.oid = pg_class.reltoastrelid) AS toast
          FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
        ),
        line AS (
          SELECT relname::text AS name, 1 AS part, 0 AS number,
            'table ' || relname || coalesce(' partition by ' || pg_get_partkeydef(oid), '') || coalesce(' with (' || options || ')', '') || coalesce(' with (toast.' || toast || ')', '') AS text
          FROM relation
          UNION ALL
          SELECT relname, 2, attnum,
            '  column ' || attname || ' ' || format_type(atttypid, atttypmod) || CASE WHEN attcollation <> typcollation THEN ' collate ' || (SELECT collname FROM pg_collation WHERE oid = attcollation) ELSE '' END
              || CASE WHEN attnotnull THEN ' not null' ELSE '' END || coalesce(' default ' || pg_get_expr(adbin, adrelid), '')
          FROM relation JOIN pg_attribute ON attrelid = relation.oid JOIN pg_type ON pg_type.oid = atttypid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
          WHERE attnum > 0 AND NOT attisdropped
          UNION ALL
          SELECT relname, 3, 0, '  constraint ' || conname || ' ' || pg_get_constraintdef(pg_constraint.oid) FROM relation JOIN pg_constraint ON conrelid = relation.oid WHERE contype IN ('c', 'f', 'p', 'u', 'x')
          UNION ALL
          SELECT relname, 4, 0, '  ' || pg_get_indexdef(indexrelid) FROM relation JOIN pg_index ON indrelid = relation.oid
          UNION ALL
          SELECT relname, 5, 0, '  trigger ' || pg_get_triggerdef(pg_trigger.oid) FROM relation JOIN pg_trigger ON tgrelid = relation.oid WHERE NOT tgisinternal
          UNION ALL
          SELECT '~', 1, 0, 'sequence ' || sequencename || ' ' || data_type || ' start ' || start_value || ' increment ' || increment_by || ' cache ' || cache_size FROM pg_sequences WHERE schemaname = $1
          UNION ALL
          SELECT '~', 2, 0, 'view ' || viewname || ' ' || definition FROM pg_views WHERE schemaname = $1
          UNION ALL
          SELECT '~', 3, 0, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = $1::regnamespace
          UNION ALL
          SELECT '~', 4, 0, 'type ' || typname FROM pg_type WHERE typnamespace = $1::regnamespace AND typrelid = 0 AND typelem = 0
        )
        SELECT coalesce(string_agg(replace(replace(text, $1 || '.', ''), '"' || $1 || '".', ''), E'\n' ORDER BY name COLLATE "C", part, number, text COLLATE "C"), '') FROM line
        """;

    public static async Task<string> OfAsync(string connectionString, string schema, CancellationToken cancellationToken)
    {
        await using var connection = new NpgsqlConnection(connectionString);
        await connection.OpenAsync(cancellationToken);
        await using var command = new NpgsqlCommand(Sql, connection) { Parameters = { new() { Value = schema } } };
        var text = (string)(await command.ExecuteScalarAsync(cancellationToken))!;
        return text.TrimEnd() + "\n";
    }
}
