using System.Numerics;
using System.Runtime.InteropServices;

namespace Weir.Jobs.Sqlite.Rows;

/// <summary>CRC32C of what is stored with a job.</summary>
internal static class Checksum
{
    /// <summary>Of some bytes, and of the row that they belong to: bytes of another one are no better than damaged ones.</summary>
    public static uint Of(ReadOnlySpan<byte> bytes, long row)
    {
        var sum = BitOperations.Crc32C(~0u, (ulong)row);
        var words = MemoryMarshal.Cast<byte, ulong>(bytes);
        foreach (var word in words)
        {
            sum = BitOperations.Crc32C(sum, BitConverter.IsLittleEndian ? word : System.Buffers.Binary.BinaryPrimitives.ReverseEndianness(word));
        }

        foreach (var value in bytes[(words.Length * sizeof(ulong))..])
        {
            sum = BitOperations.Crc32C(sum, value);
        }

        return ~sum;
    }
}
