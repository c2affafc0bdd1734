using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Sqlite.Rows;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Sqlite.Writing;

/// <summary>Writes attempts that ended without success. The writer only.</summary>
internal sealed class AttemptTable(Connection connection, Blobs blobs)
{
    private const int MostInRow = 64 * 1024;

    private readonly Statement _insert = connection.Prepare(
        "INSERT INTO attempt (job, number, fence, started, ended, happened, stop, failure, blob, size, failure_check) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)");

    private readonly Statement _large = connection.Prepare("SELECT blob, size FROM attempt WHERE job = ?1 AND blob <> 0");
    private readonly Statement _delete = connection.Prepare("DELETE FROM attempt WHERE job = ?1");

    /// <summary>Adds one: the last of its job, with this number.</summary>
    public void Insert(long job, int number, JobAttempt attempt)
    {
        var failure = attempt.Failure.Span;
        var stored = blobs.Write(failure, job, MostInRow);
        _insert.Bind(1, job).Bind(2, number).Bind(3, attempt.Fence).Bind(4, attempt.Started).Bind(5, attempt.Ended).Bind(6, (long)attempt.Happened).Bind(7, (long)attempt.Stop)
            .Bind(8, stored.IsInRow ? failure : default).Bind(9, stored.Blob).Bind(10, stored.Size).Bind(11, stored.Check)
            .Run();
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
