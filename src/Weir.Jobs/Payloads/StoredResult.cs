using System.Buffers.Binary;
using Weir.Runtime;

namespace Weir.Jobs.Payloads;

/// <summary>
/// The stored form of a result: one byte, the version (1); one byte, what there is: 0 nothing, 1 JSON, 2 raw; the HTTP status that the operation chose in 2 bytes, 0 for none; the number of headers in 2
/// bytes, each as name and value with their lengths in 2 bytes; then the bytes of the direct call's result. Numbers are little-endian.
/// </summary>
/// <param name="Encoding">How the result is encoded; <c>null</c> for an operation without one, and for a stream.</param>
/// <param name="Status">The HTTP status that the operation chose; <c>null</c> for none.</param>
/// <param name="Headers">The headers that it added.</param>
/// <param name="Body">The result.</param>
internal sealed record StoredResult(ResultEncoding? Encoding, int? Status, IReadOnlyList<KeyValuePair<string, string>> Headers, ReadOnlyMemory<byte> Body)
{
    private const byte Version = 1;
    private const int FixedLength = 6;

    /// <summary>Of an operation that returns nothing.</summary>
    public static StoredResult Nothing { get; } = new(null, null, [], default);

    /// <summary>Writes it.</summary>
    public byte[] Write()
    {
        var length = FixedLength + Body.Length + Headers.Sum(static header => 4 + Utf8(header.Key) + Utf8(header.Value));
        var stored = new byte[length];
        stored[0] = Version;
        stored[1] = Encoding switch { null => 0, ResultEncoding.Json => 1, _ => 2 };
        BinaryPrimitives.WriteUInt16LittleEndian(stored.AsSpan(2), (ushort)(Status ?? 0));
        BinaryPrimitives.WriteUInt16LittleEndian(stored.AsSpan(4), checked((ushort)Headers.Count));
        var at = FixedLength;
        foreach (var (name, value) in Headers)
        {
            Put(name);
            Put(value);
        }

        Body.Span.CopyTo(stored.AsSpan(at));
        return stored;

        void Put(string text)
        {
            var count = System.Text.Encoding.UTF8.GetBytes(text, stored.AsSpan(at + 2));
            BinaryPrimitives.WriteUInt16LittleEndian(stored.AsSpan(at), checked((ushort)count));
            at += 2 + count;
        }
    }

    /// <summary>Reads it.</summary>
    /// <exception cref="FormatException">It is no stored form that this version knows.</exception>
    public static StoredResult Read(ReadOnlyMemory<byte> stored)
    {
        if (stored.IsEmpty)
        {
            return Nothing;
        }

        var bytes = stored.Span;
        if (bytes.Length < FixedLength || bytes[0] != Version || bytes[1] > 2)
        {
            throw new FormatException($"The stored result has version {bytes[0]}; this version of Weir reads version {Version}.");
        }

        var status = BinaryPrimitives.ReadUInt16LittleEndian(bytes[2..]);
        var headers = new KeyValuePair<string, string>[BinaryPrimitives.ReadUInt16LittleEndian(bytes[4..])];
        var at = FixedLength;
        for (var index = 0; index < headers.Length; index++)
        {
            headers[index] = new(Take(), Take());
        }

        return new StoredResult(bytes[1] switch { 0 => null, 1 => ResultEncoding.Json, _ => ResultEncoding.Raw }, status == 0 ? null : status, headers, stored[at..]);

        string Take()
        {
            var rest = stored.Span[at..];
            var length = rest.Length < 2 ? int.MaxValue : BinaryPrimitives.ReadUInt16LittleEndian(rest);
            if (length > rest.Length - 2)
            {
                throw new FormatException("The stored result ends too early.");
            }

            at += 2 + length;
            return System.Text.Encoding.UTF8.GetString(rest.Slice(2, length));
        }
    }

    private static int Utf8(string text) => System.Text.Encoding.UTF8.GetByteCount(text);
}
