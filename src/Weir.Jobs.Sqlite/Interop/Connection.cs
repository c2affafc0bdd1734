using SQLitePCL;

namespace Weir.Jobs.Sqlite.Interop;

/// <summary>A connection to the file. One thread at a time uses it, and its statements.</summary>
internal sealed class Connection : IDisposable
{
    private readonly sqlite3 _handle;
    private readonly List<Statement> _statements = [];

    static Connection() => Batteries_V2.Init();

    /// <summary>Opens the file.</summary>
    /// <param name="path">Where it is.</param>
    /// <param name="mayWrite">Whether it is created where it is missing, and written.</param>
    public Connection(string path, bool mayWrite)
    {
        var code = raw.sqlite3_open_v2(path, out _handle, raw.SQLITE_OPEN_NOMUTEX | (mayWrite ? raw.SQLITE_OPEN_READWRITE | raw.SQLITE_OPEN_CREATE : raw.SQLITE_OPEN_READONLY), null);
        if (code != raw.SQLITE_OK)
        {
            var error = new SqliteException(code, raw.sqlite3_errstr(code).utf8_to_string());
            _handle.Dispose();
            throw error;
        }

        raw.sqlite3_extended_result_codes(_handle, 1);
    }

    /// <summary>The version of the engine.</summary>
    public static string Version => raw.sqlite3_libversion().utf8_to_string();

    /// <summary>Whether no transaction is open: what was begun was committed or rolled back.</summary>
    public bool IsOutsideTransaction => raw.sqlite3_get_autocommit(_handle) != 0;

    /// <summary>How many rows the last statement changed.</summary>
    public int Changes => raw.sqlite3_changes(_handle);

    /// <summary>How many pages this connection has written, to the write-ahead log all of them.</summary>
    public int PagesWritten
    {
        get
        {
            const int CacheWrite = 9;
            raw.sqlite3_db_status(_handle, CacheWrite, out var pages, out _, 0);
            return pages;
        }
    }

    /// <summary>A statement that is kept until the connection is closed.</summary>
    public Statement Prepare(string sql)
    {
        Check(raw.sqlite3_prepare_v3(_handle, sql, raw.SQLITE_PREPARE_PERSISTENT, out var handle));
        var statement = new Statement(this, handle);
        _statements.Add(statement);
        return statement;
    }

    /// <summary>Runs one or more statements once.</summary>
    public void Execute(string sql) => Check(raw.sqlite3_exec(_handle, sql));

    /// <summary>The first column of the first row of a statement that is run once; <c>null</c> without a row.</summary>
    public string? Query(string sql)
    {
        Check(raw.sqlite3_prepare_v2(_handle, sql, out var handle));
        using var statement = new Statement(this, handle);
        return statement.Step() ? statement.Text(0) : null;
    }

    /// <summary>Copies the write-ahead log into the file, as far as readers allow.</summary>
    /// <param name="mode">One of <c>SQLITE_CHECKPOINT_…</c>.</param>
    /// <returns>Whether all of it was copied.</returns>
    public bool Checkpoint(int mode) => Checkpoint(mode, out _);

    /// <param name="mode">How.</param>
    /// <param name="pages">How many pages the log has.</param>
    /// <returns>Whether all of it was copied.</returns>
    public bool Checkpoint(int mode, out int pages)
    {
        var code = raw.sqlite3_wal_checkpoint_v2(_handle, null, mode, out pages, out var copied);
        if ((code & 0xFF) is raw.SQLITE_BUSY or raw.SQLITE_LOCKED)
        {
            return false;
        }

        Check(code);
        return pages == copied;
    }

    public void Dispose()
    {
        foreach (var statement in _statements)
        {
            statement.Dispose();
        }

        _handle.Dispose();
    }

    internal SqliteException Error(int code) => new(code, raw.sqlite3_errmsg(_handle).utf8_to_string());

    private void Check(int code)
    {
        if (code != raw.SQLITE_OK)
        {
            throw Error(code);
        }
    }
}
