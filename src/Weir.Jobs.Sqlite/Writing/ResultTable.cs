using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Sqlite.Rows;

namespace Weir.Jobs.Sqlite.Writing;

/// <summary>Writes results. The writer only.</summary>
internal sealed class ResultTable(Connection connection, Blobs blobs)
{
    /// <summary>Larger ones lie in <c>blob</c>.</summary>
    public const int MostInRow = 64 * 1024;

    private readonly Statement _insert = connection.Prepare("INSERT INTO result (job, data, blob, size, data_check) VALUES (?1, ?2, ?3, ?4, ?5)");
    private readonly Statement _select = connection.Prepare("SELECT blob, size FROM result WHERE job = ?1");
    private readonly Statement _delete = connection.Prepare("DELETE FROM result WHERE job = ?1");

    /// <summary>Of a job that has none.</summary>
    public void Insert(long job, ReadOnlySpan<byte> result)
    {
        var stored = blobs.Write(result, job, MostInRow);
        _insert.Bind(1, job).Bind(2, stored.IsInRow ? result : default).Bind(3, stored.Blob).Bind(4, stored.Size).Bind(5, stored.Check).Run();
    }

    public void Delete(long job)
    {
        using (_select.Bind(1, job).Use())
        {
            if (!_select.Step())
            {
                return;
            }

            blobs.Delete(_select.Long(0), _select.Int(1));
        }

        _delete.Bind(1, job).Run();
    }
}
