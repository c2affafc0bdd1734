using System.Buffers.Binary;
using System.Text;

namespace Weir.Protocol.Frames;

/// <summary>Reads the fields of a payload; every length is checked against what is left before it is used.</summary>
internal ref struct FieldReader(FrameType type, ReadOnlySpan<byte> payload)
{
    /// <summary>Text up to this many bytes is read without the encoding, whose vector code costs a starting worker milliseconds: names are ASCII.</summary>
    private const int ShortText = 128;

    private readonly FrameType _type = type;
    private ReadOnlySpan<byte> _rest = payload;

    public readonly int Left => _rest.Length;

    public byte U8() => Take(1)[0];

    public ushort U16() => BinaryPrimitives.ReadUInt16LittleEndian(Take(2));

    public uint U32() => BinaryPrimitives.ReadUInt32LittleEndian(Take(4));

    public int I32() => (int)U32();

    public ulong U64() => BinaryPrimitives.ReadUInt64LittleEndian(Take(8));

    public long I64() => (long)U64();

    /// <summary>Text; bytes that are not UTF-8 read as U+FFFD, since a garbled message is no reason to close a channel.</summary>
    public string Text()
    {
        var bytes = Bytes(U32());
        Span<char> characters = stackalloc char[ShortText];
        return TryWiden(bytes, characters) ? new string(characters[..bytes.Length]) : Encoding.UTF8.GetString(bytes);
    }

    public ReadOnlySpan<byte> Bytes(uint count)
    {
        if (count > (uint)_rest.Length)
        {
            throw Malformed($"{count} bytes are announced where {_rest.Length} are left");
        }

        return Take((int)count);
    }

    /// <summary>A count of things that take at least <paramref name="each"/> bytes, so that no table is larger than its frame.</summary>
    public int Count(uint count, int each)
    {
        if (count > (uint)(_rest.Length / each))
        {
            throw Malformed($"{count} entries are announced where {_rest.Length} bytes are left");
        }

        return (int)count;
    }

    public readonly void Zero(uint value, string field)
    {
        if (value != 0)
        {
            throw Malformed($"{field} is {value}, not 0");
        }
    }

    public readonly void Finish()
    {
        if (_rest.Length != 0)
        {
            throw Malformed($"{_rest.Length} bytes follow the last field");
        }
    }

    public readonly FrameException Malformed(string detail) =>
        new(FrameError.MalformedPayload, $"{_type}: {detail}");

    private static bool TryWiden(ReadOnlySpan<byte> bytes, Span<char> characters)
    {
        if (bytes.Length > characters.Length)
        {
            return false;
        }

        for (var i = 0; i < bytes.Length; i++)
        {
            if (bytes[i] >= 0x80)
            {
                return false;
            }

            characters[i] = (char)bytes[i];
        }

        return true;
    }

    private ReadOnlySpan<byte> Take(int count)
    {
        if (count > _rest.Length)
        {
            throw Malformed($"the payload ends {count - _rest.Length} bytes too early");
        }

        var taken = _rest[..count];
        _rest = _rest[count..];
        return taken;
    }
}
