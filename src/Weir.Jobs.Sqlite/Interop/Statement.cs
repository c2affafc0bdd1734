using System.Buffers;
using System.Text;
using SQLitePCL;

namespace Weir.Jobs.Sqlite.Interop;

/// <summary>A prepared statement. Parameters count from 1, columns from 0. Who steps it ends its use with <see cref="Reset"/>, or with what <see cref="Use"/> returns.</summary>
internal sealed class Statement(Connection connection, sqlite3_stmt handle) : IDisposable
{
    private const int OnStack = 512;

    /// <summary>Ends the use of a statement.</summary>
    public readonly ref struct Scope(Statement statement)
    {
        public void Dispose() => statement.Reset();
    }

    /// <summary>Resets the statement at the end of a block.</summary>
    public Scope Use() => new(this);

    public Statement Bind(int index, long value)
    {
        Check(raw.sqlite3_bind_int64(handle, index, value));
        return this;
    }

    public Statement Bind(int index, double value)
    {
        Check(raw.sqlite3_bind_double(handle, index, value));
        return this;
    }

    public Statement Bind(int index, DateTimeOffset value) => Bind(index, value.UtcTicks);

    public Statement Bind(int index, ReadOnlySpan<byte> value)
    {
        Check(value.IsEmpty ? raw.sqlite3_bind_zeroblob(handle, index, 0) : raw.sqlite3_bind_blob(handle, index, value));
        return this;
    }

    public Statement Bind(int index, Guid value)
    {
        Span<byte> bytes = stackalloc byte[16];
        value.TryWriteBytes(bytes, bigEndian: true, out _);
        return Bind(index, bytes);
    }

    public Statement Bind(int index, string? value)
    {
        if (value is null)
        {
            Check(raw.sqlite3_bind_null(handle, index));
        }
        else if (value.Length == 0)
        {
            Check(raw.sqlite3_bind_text(handle, index, utf8z.FromSpan("\0"u8)));
        }
        else
        {
            BindText(index, value);
        }

        return this;
    }

    /// <summary>Goes to the next row.</summary>
    /// <returns>Whether there is one.</returns>
    public bool Step()
    {
        var code = raw.sqlite3_step(handle);
        if (code is raw.SQLITE_ROW or raw.SQLITE_DONE)
        {
            return code == raw.SQLITE_ROW;
        }

        var error = connection.Error(code);
        Reset();
        throw error;
    }

    /// <summary>Runs a statement without rows.</summary>
    public void Run()
    {
        Step();
        Reset();
    }

    public void Reset() => raw.sqlite3_reset(handle);

    public bool IsNull(int column) => raw.sqlite3_column_type(handle, column) == raw.SQLITE_NULL;

    public long Long(int column) => raw.sqlite3_column_int64(handle, column);

    public int Int(int column) => raw.sqlite3_column_int(handle, column);

    public double Double(int column) => raw.sqlite3_column_double(handle, column);

    /// <exception cref="SqliteException">It is no time.</exception>
    public DateTimeOffset Time(int column) =>
        Long(column) is var ticks && ticks >= 0 && ticks <= DateTimeOffset.MaxValue.Ticks ? new DateTimeOffset(ticks, TimeSpan.Zero) : throw Damage(column, "a time");

    /// <exception cref="SqliteException">It is no id.</exception>
    public Guid Id(int column) => Bytes(column) is { Length: 16 } bytes ? new Guid(bytes, bigEndian: true) : throw Damage(column, "an id");

    /// <summary>Valid until the next step or reset.</summary>
    public ReadOnlySpan<byte> Bytes(int column) => raw.sqlite3_column_blob(handle, column);

    public string? Text(int column) => IsNull(column) ? null : Encoding.UTF8.GetString(Bytes(column));

    public void Dispose() => handle.Dispose();

    private SqliteException Damage(int column, string what) => new(raw.SQLITE_CORRUPT, $"The column {column} of '{raw.sqlite3_sql(handle).utf8_to_string()}' is not {what}.");

    private void BindText(int index, string value)
    {
        var most = Encoding.UTF8.GetMaxByteCount(value.Length);
        byte[]? rented = null;
        var bytes = most <= OnStack ? stackalloc byte[OnStack] : rented = ArrayPool<byte>.Shared.Rent(most);
        Check(raw.sqlite3_bind_text(handle, index, bytes[..Encoding.UTF8.GetBytes(value, bytes)]));
        if (rented is not null)
        {
            ArrayPool<byte>.Shared.Return(rented);
        }
    }

    private void Check(int code)
    {
        if (code != raw.SQLITE_OK)
        {
            throw connection.Error(code);
        }
    }
}
