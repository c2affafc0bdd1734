using System.Buffers.Binary;
using Weir.Runtime;

namespace Weir.Execution.Pools.Calls;

/// <summary>
/// Distinguishes calls of one operation by their arguments: equal calls have equal numbers, others hardly ever. Of long arguments only
/// the length and both ends count, because it is computed under the pool's lock. For use within one process, never to be given out.
/// </summary>
internal static class ArgumentFingerprint
{
    private const int MostAtEachEnd = 1024;
    private const ulong Basis = 14695981039346656037;
    private const ulong Prime = 1099511628211;

    /// <returns>Not 0.</returns>
    public static ulong Of(Operation operation, ArgumentWriter arguments)
    {
        var hash = Add(Basis, (ulong)operation.FullName.GetHashCode(StringComparison.Ordinal));
        hash = Add(hash, arguments.Values.WrittenSpan);
        foreach (var part in arguments.Raw)
        {
            hash = Add(Add(hash, (ulong)part.Parameter), part.Bytes.Span);
        }

        return hash == 0 ? 1 : hash;
    }

    private static ulong Add(ulong hash, ReadOnlySpan<byte> bytes)
    {
        hash = Add(hash, (ulong)bytes.Length);
        if (bytes.Length > 2 * MostAtEachEnd)
        {
            hash = AddAll(hash, bytes[..MostAtEachEnd]);
            bytes = bytes[^MostAtEachEnd..];
        }

        return AddAll(hash, bytes);
    }

    private static ulong AddAll(ulong hash, ReadOnlySpan<byte> bytes)
    {
        for (; bytes.Length >= sizeof(ulong); bytes = bytes[sizeof(ulong)..])
        {
            hash = Add(hash, BinaryPrimitives.ReadUInt64LittleEndian(bytes));
        }

        foreach (var value in bytes)
        {
            hash = Add(hash, value);
        }

        return hash;
    }

    // A multiplication carries upwards only: the high bits are mixed into the low ones, or the last bytes of a word would hardly count.
    private static ulong Add(ulong hash, ulong value)
    {
        hash = unchecked((hash ^ value) * Prime);
        return hash ^ (hash >> 32);
    }
}
