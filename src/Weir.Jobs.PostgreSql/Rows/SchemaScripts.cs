using System.Globalization;
using Npgsql;
using Weir.Jobs.PostgreSql.Connections;

namespace Weir.Jobs.PostgreSql.Rows;

/// <summary>The tables. A version that was released never changes. Times are UTC ticks; only leases and partitions use the time of the database.</summary>
internal static class SchemaScripts
{
    /// <summary>The version that this program writes.</summary>
    public const int Version = 1;

    // In an index each, so that a row that is not of a state costs nothing there. Values are large before they are small, so that rows have no gaps.
    private const string First =
        """
        CREATE TABLE weir_jobs.kind (name text COLLATE "C" PRIMARY KEY, paused boolean NOT NULL);
        CREATE TABLE weir_jobs.replica (
          id uuid PRIMARY KEY,
          host text NOT NULL,
          started timestamptz NOT NULL,
          renewed timestamptz NOT NULL,
          lost boolean NOT NULL DEFAULT false
        ) WITH (fillfactor = 50);
        CREATE TABLE weir_jobs.replica_kind (
          replica uuid NOT NULL REFERENCES weir_jobs.replica ON DELETE CASCADE,
          kind text COLLATE "C" NOT NULL,
          signature bigint NOT NULL,
          max_total int,
          PRIMARY KEY (replica, kind)
        );
        CREATE INDEX replica_kind_kind ON weir_jobs.replica_kind (kind);
        CREATE TABLE weir_jobs.commit (replica uuid NOT NULL, number bigint NOT NULL, given_up boolean NOT NULL, made timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (replica, number));

        -- One value is taken for each commit, and is the first of those that it gives away.
        CREATE SEQUENCE weir_jobs.job_seq INCREMENT BY 1048576 START WITH 1048576;
        CREATE SEQUENCE weir_jobs.ready_seq INCREMENT BY 1048576 START WITH 1048576;
        CREATE TABLE weir_jobs.job (
          id uuid PRIMARY KEY,
          seq bigint NOT NULL,
          signature bigint NOT NULL,
          ready bigint NOT NULL,
          due bigint NOT NULL,
          first_due bigint NOT NULL,
          expires bigint NOT NULL,
          fence bigint NOT NULL,
          not_understood bigint NOT NULL,
          submitted bigint NOT NULL,
          started bigint NOT NULL,
          ended bigint NOT NULL,
          items bigint NOT NULL,
          fingerprint bigint NOT NULL,
          progress double precision,
          run int NOT NULL,
          attempts int NOT NULL,
          starts int NOT NULL,
          failures int NOT NULL,
          crashes int NOT NULL,
          losses int NOT NULL,
          retries int NOT NULL,
          refusals int NOT NULL,
          first_day date NOT NULL,
          state smallint NOT NULL,
          priority smallint NOT NULL,
          reason smallint NOT NULL,
          stop smallint NOT NULL,
          unique_until smallint NOT NULL,
          open boolean NOT NULL,
          watched boolean NOT NULL,
          replica uuid,
          parent uuid,
          kind text COLLATE "C" NOT NULL,
          key text COLLATE "C" NOT NULL,
          owner text COLLATE "C",
          trace_parent text,
          trace_state text,
          culture text,
          idempotency_key text COLLATE "C",
          progress_text text,
          failure bytea,
          arguments bytea NOT NULL
        );
        CREATE TABLE weir_jobs.done_short (LIKE weir_jobs.job, result bytea, ended_day date NOT NULL) PARTITION BY RANGE (ended_day);
        CREATE TABLE weir_jobs.done_long (LIKE weir_jobs.job, result bytea, ended_day date NOT NULL) PARTITION BY RANGE (ended_day);
        CREATE INDEX ON weir_jobs.done_short (id);
        CREATE INDEX ON weir_jobs.done_short (seq);
        CREATE INDEX ON weir_jobs.done_long (id);
        CREATE INDEX ON weir_jobs.done_long (seq);
        ALTER TABLE weir_jobs.job SET (
          fillfactor = 80, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0, autovacuum_analyze_threshold = 5000, autovacuum_analyze_scale_factor = 0,
          toast.autovacuum_vacuum_threshold = 5000, toast.autovacuum_vacuum_scale_factor = 0);
        CREATE UNIQUE INDEX job_submitted ON weir_jobs.job (seq);
        CREATE INDEX job_ready ON weir_jobs.job (kind, priority DESC, key, ready) WHERE state = 2;
        CREATE INDEX job_due ON weir_jobs.job (due, seq) WHERE state = 1;
        CREATE INDEX job_running ON weir_jobs.job (replica, kind) WHERE state = 3;
        CREATE INDEX job_expires ON weir_jobs.job (expires, seq) WHERE expires <> 0 AND state <= 2 AND starts = 0;
        CREATE TABLE weir_jobs.attempt (
          job uuid NOT NULL,
          number int NOT NULL,
          day date NOT NULL,
          fence bigint NOT NULL,
          started bigint NOT NULL,
          ended bigint NOT NULL,
          happened smallint NOT NULL,
          stop smallint NOT NULL,
          failure bytea NOT NULL,
          PRIMARY KEY (job, number, day)
        ) PARTITION BY RANGE (day);
        CREATE TABLE weir_jobs.item (
          job uuid NOT NULL,
          number bigint NOT NULL,
          day date NOT NULL,
          run int NOT NULL,
          data bytea NOT NULL,
          PRIMARY KEY (job, number, day)
        ) PARTITION BY RANGE (day);
        CREATE TABLE weir_jobs.key (
          job uuid NOT NULL,
          fingerprint bigint NOT NULL,
          until smallint NOT NULL,
          kind text COLLATE "C" NOT NULL,
          owner text COLLATE "C",
          key text COLLATE "C" NOT NULL
        ) WITH (fillfactor = 90, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0.02);

        -- No owner is not the same as an owner without a name.
        CREATE UNIQUE INDEX key_unique ON weir_jobs.key (kind, key, (coalesce('o' || owner, '')));
        CREATE TABLE weir_jobs.schedule (
          name text COLLATE "C" PRIMARY KEY,
          kind text COLLATE "C" NOT NULL,
          cron text NOT NULL,
          time_zone text NOT NULL,
          source smallint NOT NULL,
          next bigint,
          paused boolean NOT NULL,
          last_due bigint,
          last_job uuid,
          undeclared bigint
        );

        -- For what adds and removes processes: how many jobs run, could run, or will within 30 s. The limit in all of a kind is what its processes publish.
        CREATE FUNCTION weir_jobs.demand(pattern text DEFAULT '*') RETURNS bigint LANGUAGE sql STABLE AS
        $$
          WITH RECURSIVE clock AS (SELECT (extract(epoch FROM clock_timestamp()) * 10000000)::bigint + 621355968000000000 + 300000000 AS soon),
          ready AS (
            (SELECT kind FROM weir_jobs.job WHERE state = 2 ORDER BY kind LIMIT 1)
            UNION ALL
            SELECT (SELECT job.kind FROM weir_jobs.job WHERE state = 2 AND job.kind > ready.kind ORDER BY job.kind LIMIT 1) FROM ready WHERE ready.kind IS NOT NULL
          ),
          counts AS (
            SELECT kind, 0 AS running, (SELECT count(*) FROM (SELECT 1 FROM weir_jobs.job WHERE state = 2 AND job.kind = ready.kind LIMIT 10000) AS few) AS waiting FROM ready WHERE kind IS NOT NULL
            UNION ALL
            SELECT kind, 0, count(*) FROM weir_jobs.job, clock WHERE state = 1 AND due <= clock.soon GROUP BY kind
            UNION ALL
            SELECT kind, 0, count(*) FROM weir_jobs.schedule, clock WHERE next <= clock.soon AND NOT paused AND undeclared IS NULL GROUP BY kind
            UNION ALL
            SELECT kind, count(*), 0 FROM weir_jobs.job WHERE state = 3 GROUP BY kind
          ),
          kinds AS (
            SELECT kind, sum(running) AS running, CASE WHEN EXISTS (SELECT FROM weir_jobs.kind AS one WHERE one.name = counts.kind AND one.paused) THEN 0 ELSE least(sum(waiting), 10000) END AS waiting
            FROM counts
            WHERE kind LIKE replace(replace(replace(replace(pattern, '\', '\\'), '%', '\%'), '_', '\_'), '*', '%')
            GROUP BY kind
          )
          SELECT coalesce(sum(running + least(waiting, greatest(coalesce((SELECT max(max_total) FROM weir_jobs.replica_kind WHERE replica_kind.kind = kinds.kind), 2147483647) - running, 0))), 0)::bigint
          FROM kinds
        $$;
        """;

    // One script for each version: what it has more than the one before. Each only adds, so that processes of the version before can run on.
    private static readonly string[] Scripts = [First];

    /// <summary>Creates the tables in a database that has none, and brings older ones to this version.</summary>
    /// <returns>What the database calls itself, by which transactions of others are known to be of the same one.</returns>
    /// <exception cref="InvalidOperationException">They are of a newer version (WEIR3027).</exception>
    public static async Task<string> PrepareAsync(Database database, NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        // Without a lock at first: an application that may not create tables can use those that there are.
        if (await FindAsync(database, connection, cancellationToken) is (Version, var id))
        {
            return id;
        }

        await using var transaction = await connection.BeginTransactionAsync(cancellationToken);
        await ExecuteAsync(connection, $"SELECT pg_advisory_xact_lock(hashtextextended('{database.SchemaName}', 0))", cancellationToken);
        var found = await FindAsync(database, connection, cancellationToken);
        var version = found?.Version ?? 0;
        if (version == 0)
        {
            await ExecuteAsync(
                connection,
                $"""
                CREATE SCHEMA IF NOT EXISTS {database.Schema};
                CREATE TABLE {database.Schema}.meta (name text PRIMARY KEY, value text NOT NULL);
                INSERT INTO {database.Schema}.meta VALUES ('version', '0'), ('id', '{Guid.NewGuid():N}');
                """,
                cancellationToken);
        }

        for (; version < Version; version++)
        {
            await ExecuteAsync(connection, Scripts[version].Replace("weir_jobs.", $"{database.Schema}.", StringComparison.Ordinal), cancellationToken);
        }

        await ExecuteAsync(connection, string.Create(CultureInfo.InvariantCulture, $"UPDATE {database.Schema}.meta SET value = '{Version}' WHERE name = 'version' AND value <> '{Version}'"), cancellationToken);
        id = (await FindAsync(database, connection, cancellationToken))!.Value.Id;
        await transaction.CommitAsync(cancellationToken);
        return id;
    }

    private static async Task<(int Version, string Id)?> FindAsync(Database database, NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        // By the rows of the catalog: what a session remembers of it may be older than the lock that it has waited for.
        await using var exists = new NpgsqlCommand(
            $"SELECT EXISTS (SELECT FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace WHERE relname = 'meta' AND nspname = '{database.SchemaName}')", connection);
        if (await exists.ExecuteScalarAsync(cancellationToken) is not true)
        {
            return null;
        }

        await using var find = new NpgsqlCommand(
            $"SELECT (SELECT value FROM {database.Schema}.meta WHERE name = 'version'), (SELECT value FROM {database.Schema}.meta WHERE name = 'id')", connection);
        await using var reader = await find.ExecuteReaderAsync(cancellationToken);
        await reader.ReadAsync(cancellationToken);
        var text = await reader.IsDBNullAsync(0, cancellationToken) ? "" : reader.GetString(0);
        return int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var version) && version <= Version && !await reader.IsDBNullAsync(1, cancellationToken)
            ? (version, reader.GetString(1))
            : throw new InvalidOperationException(
                $"{WeirCodes.JobStoreUnusable}: the schema '{database.SchemaName}' of {database.Place} has version '{text}', and this program knows {Version}: run the newer program that wrote it, or name another schema. See {WeirCodes.JobStoreUnusable}.");
    }

    private static async Task ExecuteAsync(NpgsqlConnection connection, string sql, CancellationToken cancellationToken)
    {
        await using var command = new NpgsqlCommand(sql, connection);
        await command.ExecuteNonQueryAsync(cancellationToken);
    }
}
