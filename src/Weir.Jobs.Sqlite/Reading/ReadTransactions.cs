using Weir.Jobs.Sqlite.Interop;

namespace Weir.Jobs.Sqlite.Reading;

/// <summary>The transactions of a connection that reads. One ends after 1 MB or 50 ms, so that the write-ahead log can be copied into the file.</summary>
internal sealed class ReadTransactions(Connection connection)
{
    /// <summary>How many bytes one reads.</summary>
    public const int Size = 1024 * 1024;

    /// <summary>How long one takes.</summary>
    public static readonly TimeSpan Time = TimeSpan.FromMilliseconds(50);

    private readonly Statement _begin = connection.Prepare("BEGIN");
    private readonly Statement _end = connection.Prepare("COMMIT");

    /// <summary>Several statements that see the same rows, until the end of a block.</summary>
    public Scope Begin()
    {
        _begin.Run();
        return new Scope(_end);
    }

    /// <summary>Ends a transaction.</summary>
    public readonly ref struct Scope(Statement end)
    {
        public void Dispose() => end.Run();
    }
}
