using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Sqlite.Rows;

namespace Weir.Jobs.Sqlite.Reading;

/// <summary>A connection that only reads. One thread at a time.</summary>
internal sealed class Reader : IDisposable
{
    private readonly Connection _connection;

    public Reader(string path, Kinds kinds)
    {
        _connection = new Connection(path, mayWrite: false);
        _connection.Execute("PRAGMA busy_timeout = 1000; PRAGMA query_only = ON; PRAGMA cache_size = -8192; PRAGMA cell_size_check = ON");
        var transactions = new ReadTransactions(_connection);
        var blobs = new Blobs(_connection);
        Jobs = new JobReader(_connection, transactions, kinds, blobs);
        Payloads = new PayloadReader(_connection, transactions, blobs);
        Lists = new ListReader(_connection, transactions, kinds, Jobs);
    }

    public JobReader Jobs { get; }

    public PayloadReader Payloads { get; }

    public ListReader Lists { get; }

    public void Dispose() => _connection.Dispose();
}
