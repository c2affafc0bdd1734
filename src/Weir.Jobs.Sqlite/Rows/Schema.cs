using System.Globalization;
using Weir.Jobs.Sqlite.Interop;

namespace Weir.Jobs.Sqlite.Rows;

/// <summary>
/// The tables. A version that was released never changes: <c>tests/Weir.Jobs.Tests/Golden</c> has each. Times are UTC ticks.
/// </summary>
internal static class Schema
{
    /// <summary>"Weir" in the header of the file.</summary>
    public const int Application = 0x57656972;

    public const int Version = 2;

    // A row of job keeps its size while the job succeeds, so that it is overwritten where it is: started and ended have a time from the beginning, and what is larger than a KB is in blob.
    // Of what changes with its state, every index but one has the rows of a single state.
    private const string First =
        """
        CREATE TABLE meta (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE kind (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
        CREATE TABLE job (
          seq INTEGER PRIMARY KEY,
          kind INTEGER NOT NULL,
          state INTEGER NOT NULL,
          priority INTEGER NOT NULL,
          key TEXT NOT NULL,
          ready INTEGER NOT NULL,
          due INTEGER NOT NULL,
          reason INTEGER NOT NULL,
          stop INTEGER NOT NULL,
          fence INTEGER NOT NULL,
          open INTEGER NOT NULL,
          starts INTEGER NOT NULL,
          failures INTEGER NOT NULL,
          crashes INTEGER NOT NULL,
          losses INTEGER NOT NULL,
          retries INTEGER NOT NULL,
          refusals INTEGER NOT NULL,
          not_understood INTEGER NOT NULL,
          started INTEGER NOT NULL,
          ended INTEGER NOT NULL,
          items INTEGER NOT NULL,
          run INTEGER NOT NULL,
          attempts INTEGER NOT NULL,
          id BLOB NOT NULL,
          submitted INTEGER NOT NULL,
          signature INTEGER NOT NULL,
          owner TEXT,
          parent BLOB,
          trace_parent TEXT,
          trace_state TEXT,
          culture TEXT,
          idempotency_key TEXT,
          fingerprint INTEGER NOT NULL,
          progress REAL,
          progress_text TEXT,
          arguments BLOB NOT NULL,
          arguments_blob INTEGER NOT NULL,
          arguments_size INTEGER NOT NULL,
          arguments_check INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX job_id ON job (id);
        CREATE UNIQUE INDEX job_idempotency ON job (kind, idempotency_key, ifnull(owner, 0)) WHERE idempotency_key IS NOT NULL;
        CREATE INDEX job_state ON job (kind, state);
        CREATE INDEX job_ready ON job (kind, priority DESC, key, ready) WHERE state = 2;
        CREATE INDEX job_due ON job (due) WHERE state = 1;
        CREATE TABLE result (job INTEGER PRIMARY KEY, data BLOB NOT NULL, blob INTEGER NOT NULL, size INTEGER NOT NULL, data_check INTEGER NOT NULL) STRICT;
        CREATE TABLE attempt (
          job INTEGER NOT NULL,
          number INTEGER NOT NULL,
          fence INTEGER NOT NULL,
          started INTEGER NOT NULL,
          ended INTEGER NOT NULL,
          happened INTEGER NOT NULL,
          stop INTEGER NOT NULL,
          failure BLOB NOT NULL,
          blob INTEGER NOT NULL,
          size INTEGER NOT NULL,
          failure_check INTEGER NOT NULL,
          PRIMARY KEY (job, number)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE item (
          job INTEGER NOT NULL,
          number INTEGER NOT NULL,
          data BLOB NOT NULL,
          blob INTEGER NOT NULL,
          size INTEGER NOT NULL,
          data_check INTEGER NOT NULL,
          PRIMARY KEY (job, number)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE blob (id INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
        """;

    // The first due time of a row is 0 until it has another one. Waiting jobs had any number as their priority. A key that is unique while the job is kept is in an index that does not depend on
    // the state: changes of state do not write it.
    private const string Second =
        """
        ALTER TABLE job ADD COLUMN first_due INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE job ADD COLUMN expires INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE job ADD COLUMN unique_until INTEGER NOT NULL DEFAULT 0;
        UPDATE job SET priority = max(-1, min(1, priority)) WHERE state = 2 AND priority NOT IN (-1, 0, 1);
        UPDATE job SET priority = max(-1, min(1, priority)) WHERE state = 1 AND priority NOT IN (-1, 0, 1);
        DROP INDEX job_idempotency;
        CREATE UNIQUE INDEX job_idempotency ON job (kind, idempotency_key, ifnull(owner, 0)) WHERE idempotency_key IS NOT NULL AND unique_until = 0;
        CREATE UNIQUE INDEX job_idempotency_open ON job (kind, idempotency_key, ifnull(owner, 0)) WHERE idempotency_key IS NOT NULL AND unique_until = 1 AND state <= 3;
        CREATE INDEX job_expires ON job (expires) WHERE expires <> 0 AND state <= 2 AND starts = 0;
        ALTER TABLE kind ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE schedule (
          name TEXT NOT NULL PRIMARY KEY,
          kind TEXT NOT NULL,
          cron TEXT NOT NULL,
          time_zone TEXT NOT NULL,
          source INTEGER NOT NULL,
          next INTEGER,
          paused INTEGER NOT NULL,
          last_due INTEGER,
          last_job BLOB,
          undeclared INTEGER
        ) STRICT, WITHOUT ROWID;
        """;

    // One script for each version: what it has more than the one before.
    private static readonly string[] Scripts = [First, Second];

    /// <summary>Creates the tables in a new file, and brings an older one to this version.</summary>
    /// <exception cref="InvalidOperationException">The file is another program's, or one of a newer version (WEIR3027).</exception>
    public static void Prepare(Connection connection, string path)
    {
        var version = Check(connection, path);
        if (version == Version)
        {
            return;
        }

        connection.Execute("BEGIN IMMEDIATE");
        for (var next = version; next < Version; next++)
        {
            connection.Execute(Scripts[next]);
        }

        connection.Execute(string.Create(CultureInfo.InvariantCulture, $"PRAGMA application_id = {Application}; PRAGMA user_version = {Version}; COMMIT"));
    }

    /// <summary>The version of the tables in a file; 0 in a new one.</summary>
    /// <exception cref="InvalidOperationException">The file is another program's, or one of a newer version (WEIR3027).</exception>
    public static int Check(Connection connection, string path)
    {
        var application = Read(connection, "PRAGMA application_id");
        var version = Read(connection, "PRAGMA user_version");
        if (application != Application && (application != 0 || version != 0 || Read(connection, "SELECT count(*) FROM sqlite_master") != 0))
        {
            throw new InvalidOperationException($"{WeirCodes.JobStoreUnusable}: '{path}' is a file of another application (application_id {application}): name another file for jobs.");
        }

        return version <= Version
            ? version
            : throw new InvalidOperationException(
                $"{WeirCodes.JobStoreUnusable}: '{path}' has version {version}, and this program knows {Version}: run the newer program that wrote it, or name another file.");
    }

    private static int Read(Connection connection, string sql) => int.Parse(connection.Query(sql)!, CultureInfo.InvariantCulture);
}
