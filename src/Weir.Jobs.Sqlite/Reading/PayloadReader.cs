using System.Diagnostics;
using Weir.Jobs.Rules;
using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Sqlite.Rows;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Sqlite.Reading;

/// <summary>Reads what jobs bring: results, items and failures, each with its checksum.</summary>
internal sealed class PayloadReader(Connection connection, ReadTransactions transactions, Blobs blobs)
{
    private readonly Statement _result = connection.Prepare("SELECT data, blob, size, data_check, job FROM result WHERE job = (SELECT seq FROM job WHERE id = ?1)");

    private readonly Statement _items = connection.Prepare(
        "SELECT data, blob, size, data_check, job, number FROM item WHERE job = (SELECT seq FROM job WHERE id = ?1 AND run = ?3) AND number >= ?2 ORDER BY number");

    private readonly Statement _attempts = connection.Prepare(
        """
        SELECT failure, blob, size, failure_check, job, fence, started, ended, happened, stop
        FROM attempt WHERE job = (SELECT seq FROM job WHERE id = ?1) ORDER BY number
        """);

    private readonly Statement _job = connection.Prepare("SELECT seq, state, attempts, items, run FROM job WHERE id = ?1");

    /// <summary>A large result is read in several transactions: if it was replaced between two of them, it is read again.</summary>
    public byte[]? ReadResult(Guid id, CancellationToken cancellationToken)
    {
        byte[]? bytes = null;
        StoredBytes? stored = null;
        for (var piece = 0; ;)
        {
            cancellationToken.ThrowIfCancellationRequested();
            using var transaction = transactions.Begin();
            using var scope = _result.Bind(1, id).Use();
            if (!_result.Step())
            {
                Expect(id, "result", static job => (JobState)job.Int(1) != JobState.Succeeded);
                return null;
            }

            var (found, row) = (Stored(_result), _result.Long(4));
            if (found.IsInRow)
            {
                return Read(_result, "result");
            }

            if (found != stored)
            {
                if (!Blobs.IsPossible(found))
                {
                    throw new DamagedRowException("result", row);
                }

                (stored, bytes, piece) = (found, new byte[found.Size], 0);
            }

            if (ReadPieces(found, ref piece, bytes!, row))
            {
                return Checksum.Of(bytes, row) == found.Check ? bytes : throw new DamagedRowException("result", row);
            }
        }
    }

    public List<ReadOnlyMemory<byte>> ReadItems(Guid id, int run, long from)
    {
        using var transaction = transactions.Begin();
        using var scope = _items.Bind(1, id).Bind(2, from).Bind(3, run).Use();
        var items = new List<ReadOnlyMemory<byte>>();
        for (var size = 0L; _items.Step();)
        {
            if (_items.Long(5) != from + items.Count)
            {
                throw new DamagedRowException("items", _items.Long(4));
            }

            size += _items.Int(2);
            if (items.Count > 0 && size > ReadTransactions.Size)
            {
                return items;
            }

            items.Add(Read(_items, "items"));
        }

        Expect(id, "items", job => job.Int(4) != run || job.Long(3) <= from + items.Count);
        return items;
    }

    public List<JobAttempt> ReadAttempts(Guid id)
    {
        using var transaction = transactions.Begin();
        using var scope = _attempts.Bind(1, id).Use();
        var attempts = new List<JobAttempt>();
        while (_attempts.Step())
        {
            attempts.Add(new JobAttempt(
                _attempts.Long(5), _attempts.Time(6), _attempts.Time(7), (JobEvent)_attempts.Int(8), (JobStop)_attempts.Int(9), Read(_attempts, "attempts")));
        }

        Expect(id, "attempts", job => job.Int(2) == attempts.Count);
        return attempts;
    }

    // Where there is such a job. A row that is missing is no better than one that cannot be read.
    private void Expect(Guid id, string what, Predicate<Statement> isWhole)
    {
        using (_job.Bind(1, id).Use())
        {
            if (_job.Step() && !isWhole(_job))
            {
                throw new DamagedRowException(what, _job.Long(0));
            }
        }
    }

    private static StoredBytes Stored(Statement row) => new(row.Long(1), row.Int(2), (uint)row.Long(3));

    private byte[] Read(Statement row, string what) => blobs.Read(row, 0, Stored(row), row.Long(4)) ?? throw new DamagedRowException(what, row.Long(4));

    // Until the end, or until the transaction has to end.
    private bool ReadPieces(in StoredBytes stored, ref int piece, byte[] bytes, long row)
    {
        var (began, size) = (Stopwatch.GetTimestamp(), 0);
        for (; piece < Blobs.Pieces(stored); piece++, size += Blobs.PieceSize)
        {
            if (size >= ReadTransactions.Size || Stopwatch.GetElapsedTime(began) > ReadTransactions.Time)
            {
                return false;
            }

            if (!blobs.TryRead(stored, piece, bytes))
            {
                throw new DamagedRowException("result", row);
            }
        }

        return true;
    }
}
