using System.Buffers.Binary;
using System.Text;
using Weir.Runtime;

namespace Weir.Jobs.Payloads;

/// <summary>
/// The stored form of a job's arguments: one byte, the version (1); the JSON object that the contract writes, its length in 4 bytes before it; then each argument of bytes: the
/// parameter's name with its length in 2 bytes, the bytes with their length in 4. Numbers are little-endian. By name, so that a later version of the operation reads it.
/// </summary>
internal static class StoredArguments
{
    private const byte Version = 1;

    /// <summary>Writes the arguments of a call.</summary>
    /// <param name="call">Its arguments are set.</param>
    /// <param name="writer">Used for it and cleared.</param>
    public static byte[] Write(Call call, ArgumentWriter writer)
    {
        writer.Clear();
        call.WriteArguments(writer);
        var json = writer.Values.WrittenSpan;
        var parameters = call.Operation.Parameters;
        var length = 5 + json.Length;
        foreach (var part in writer.Raw)
        {
            length = checked(length + 6 + Encoding.UTF8.GetByteCount(parameters[part.Parameter].Name) + part.Bytes.Length);
        }

        var stored = new byte[length];
        stored[0] = Version;
        BinaryPrimitives.WriteInt32LittleEndian(stored.AsSpan(1), json.Length);
        json.CopyTo(stored.AsSpan(5));
        var at = 5 + json.Length;
        foreach (var part in writer.Raw)
        {
            var name = Encoding.UTF8.GetBytes(parameters[part.Parameter].Name, stored.AsSpan(at + 2));
            BinaryPrimitives.WriteUInt16LittleEndian(stored.AsSpan(at), (ushort)name);
            at += 2 + name;
            BinaryPrimitives.WriteInt32LittleEndian(stored.AsSpan(at), part.Bytes.Length);
            part.Bytes.Span.CopyTo(stored.AsSpan(at + 4));
            at += 4 + part.Bytes.Length;
        }

        writer.Clear();
        return stored;
    }

    /// <summary>Replaces the JSON object. Arguments of bytes stay, unless another version of Weir stored them.</summary>
    /// <param name="stored">In their stored form.</param>
    /// <param name="json">The object in its place.</param>
    public static byte[] Replace(ReadOnlyMemory<byte> stored, ReadOnlySpan<byte> json)
    {
        int before;
        try
        {
            before = Read(stored).Json.Length;
        }
        catch (FormatException)
        {
            (stored, before) = (new byte[5], 0);
        }

        var replaced = new byte[stored.Length - before + json.Length];
        replaced[0] = Version;
        BinaryPrimitives.WriteInt32LittleEndian(replaced.AsSpan(1), json.Length);
        json.CopyTo(replaced.AsSpan(5));
        stored.Span[(5 + before)..].CopyTo(replaced.AsSpan(5 + json.Length));
        return replaced;
    }

    /// <summary>Reads it.</summary>
    /// <exception cref="FormatException">It is no stored form that this version knows.</exception>
    public static (ReadOnlyMemory<byte> Json, IReadOnlyList<KeyValuePair<string, ReadOnlyMemory<byte>>> Raw) Read(ReadOnlyMemory<byte> stored)
    {
        if (stored.Length < 5 || stored.Span[0] != Version)
        {
            throw new FormatException(
                stored.IsEmpty ? "The stored arguments are empty." : $"The stored arguments have version {stored.Span[0]}; this version of Weir reads version {Version}.");
        }

        var at = 1;
        var json = Take(4);
        var raw = new List<KeyValuePair<string, ReadOnlyMemory<byte>>>();
        while (at < stored.Length)
        {
            var name = Encoding.UTF8.GetString(Take(2).Span);
            raw.Add(new(name, Take(4)));
        }

        return (json, raw);

        ReadOnlyMemory<byte> Take(int width)
        {
            if (stored.Length - at < width)
            {
                throw Truncated();
            }

            var length = width == 2 ? BinaryPrimitives.ReadUInt16LittleEndian(stored.Span[at..]) : BinaryPrimitives.ReadInt32LittleEndian(stored.Span[at..]);
            at += width;
            if (length < 0 || length > stored.Length - at)
            {
                throw Truncated();
            }

            var part = stored.Slice(at, length);
            at += length;
            return part;
        }

        static FormatException Truncated() => new("The stored arguments end too early.");
    }
}
