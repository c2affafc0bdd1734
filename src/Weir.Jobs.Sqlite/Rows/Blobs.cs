using Weir.Jobs.Sqlite.Interop;

namespace Weir.Jobs.Sqlite.Rows;

/// <summary>Large values, in pieces of 256 KB with consecutive numbers: a reader can stop between two of them.</summary>
internal sealed class Blobs(Connection connection)
{
    public const int PieceSize = 256 * 1024;

    // Of one value. A size that is larger was not written by this program.
    private const int MostBytes = 1024 * 1024 * 1024;

    private readonly Statement _insert = connection.Prepare("INSERT INTO blob (id, data) VALUES (?1, ?2)");
    private readonly Statement _select = connection.Prepare("SELECT data FROM blob WHERE id = ?1");
    private readonly Statement _delete = connection.Prepare("DELETE FROM blob WHERE id BETWEEN ?1 AND ?2");
    private readonly Statement _last = connection.Prepare("SELECT max(id) FROM blob");

    // Read once. A transaction that is rolled back leaves a gap.
    private long _next;

    /// <summary>Prepares bytes to be stored with a row. The writer only.</summary>
    /// <param name="bytes">What is to be stored.</param>
    /// <param name="row">The row that they belong to.</param>
    /// <param name="mostInRow">How many bytes may lie in the row itself.</param>
    public StoredBytes Write(ReadOnlySpan<byte> bytes, long row, int mostInRow)
    {
        var check = Checksum.Of(bytes, row);
        if (bytes.Length <= mostInRow)
        {
            return new StoredBytes(0, bytes.Length, check);
        }

        _next = _next == 0 ? Last() + 1 : _next;
        var first = _next;
        for (var rest = bytes; !rest.IsEmpty; rest = rest[Math.Min(PieceSize, rest.Length)..])
        {
            _insert.Bind(1, _next++).Bind(2, rest[..Math.Min(PieceSize, rest.Length)]).Run();
        }

        return new StoredBytes(first, bytes.Length, check);
    }

    /// <summary>Reads a piece to its place in the whole.</summary>
    /// <param name="stored">Of which value.</param>
    /// <param name="index">Which piece, from 0 on.</param>
    /// <param name="whole">All bytes.</param>
    /// <returns>Whether there is such a piece, and it fits.</returns>
    public bool TryRead(in StoredBytes stored, int index, Span<byte> whole)
    {
        var place = whole[Math.Min(index * PieceSize, whole.Length)..];
        place = place[..Math.Min(PieceSize, place.Length)];
        using (_select.Bind(1, stored.Blob + index).Use())
        {
            if (!_select.Step() || _select.Bytes(0) is var piece && piece.Length != place.Length)
            {
                return false;
            }

            _select.Bytes(0).CopyTo(place);
            return true;
        }
    }

    /// <summary>Reads a value that lies in the current row of a statement, or in pieces, and checks it.</summary>
    /// <returns><c>null</c> where it is damaged.</returns>
    public byte[]? Read(Statement row, int column, in StoredBytes stored, long number)
    {
        if (!IsPossible(stored))
        {
            return null;
        }

        byte[] bytes;
        if (stored.IsInRow)
        {
            bytes = row.Bytes(column).ToArray();
        }
        else
        {
            bytes = new byte[stored.Size];
            for (var index = 0; index < Pieces(stored); index++)
            {
                if (!TryRead(stored, index, bytes))
                {
                    return null;
                }
            }
        }

        return bytes.Length == stored.Size && Checksum.Of(bytes, number) == stored.Check ? bytes : null;
    }

    /// <summary>Whether this program can have written a value of that size.</summary>
    public static bool IsPossible(in StoredBytes stored) => stored.Size is >= 0 and <= MostBytes;

    /// <summary>How many pieces a value has.</summary>
    public static int Pieces(in StoredBytes stored) => stored.IsInRow ? 0 : (int)(((long)stored.Size + PieceSize - 1) / PieceSize);

    /// <summary>Deletes the pieces of a value, if it has any.</summary>
    public void Delete(long blob, int size)
    {
        if (blob != 0)
        {
            _delete.Bind(1, blob).Bind(2, blob + Pieces(new StoredBytes(blob, size, 0)) - 1).Run();
        }
    }

    private long Last()
    {
        using (_last.Use())
        {
            _last.Step();
            return _last.Long(0);
        }
    }
}
