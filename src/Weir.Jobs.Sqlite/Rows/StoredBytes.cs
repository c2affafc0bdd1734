namespace Weir.Jobs.Sqlite.Rows;

/// <summary>Where bytes are that belong to a row: in the row, or in pieces in <c>blob</c>.</summary>
/// <param name="Blob">The number of the first piece; 0 for bytes in the row.</param>
/// <param name="Size">How many bytes.</param>
/// <param name="Check">Their checksum.</param>
internal readonly record struct StoredBytes(long Blob, int Size, uint Check)
{
    public bool IsInRow => Blob == 0;
}
