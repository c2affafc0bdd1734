using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Sqlite.Rows;

namespace Weir.Jobs.Sqlite.Writing;

/// <summary>Writes items. The writer only.</summary>
internal sealed class ItemTable(Connection connection, Blobs blobs)
{
    private const int MostInRow = 64 * 1024;

    private readonly Statement _insert = connection.Prepare("INSERT INTO item (job, number, data, blob, size, data_check) VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
    private readonly Statement _large = connection.Prepare("SELECT blob, size FROM item WHERE job = ?1 AND blob <> 0");
    private readonly Statement _delete = connection.Prepare("DELETE FROM item WHERE job = ?1");

    /// <summary>Adds one with this index.</summary>
    public void Insert(long job, long index, ReadOnlySpan<byte> item)
    {
        var stored = blobs.Write(item, job, MostInRow);
        _insert.Bind(1, job).Bind(2, index).Bind(3, stored.IsInRow ? item : default).Bind(4, stored.Blob).Bind(5, stored.Size).Bind(6, stored.Check).Run();
    }

    public void Delete(long job)
    {
        using (_large.Bind(1, job).Use())
        {
            while (_large.Step())
            {
                blobs.Delete(_large.Long(0), _large.Int(1));
            }
        }

        _delete.Bind(1, job).Run();
    }
}
