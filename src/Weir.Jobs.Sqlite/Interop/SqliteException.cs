using SQLitePCL;

namespace Weir.Jobs.Sqlite.Interop;

/// <summary>A call of SQLite failed.</summary>
/// <param name="code">Its extended result code.</param>
/// <param name="message">What SQLite said.</param>
internal sealed class SqliteException(int code, string message) : Exception($"SQLite error {code}: {message}")
{
    public int Code { get; } = code;

    /// <summary>No space is left, or the file may not grow.</summary>
    public bool IsFull => (Code & 0xFF) == raw.SQLITE_FULL;

    /// <summary>A sync failed: the kernel may have dropped what it could not write, and would say so only once.</summary>
    public bool IsFailedSync => Code is raw.SQLITE_IOERR_FSYNC or raw.SQLITE_IOERR_DIR_FSYNC;

    /// <summary>A page of the file is not what it must be.</summary>
    public bool IsDamage => (Code & 0xFF) is raw.SQLITE_CORRUPT or raw.SQLITE_NOTADB;
}
