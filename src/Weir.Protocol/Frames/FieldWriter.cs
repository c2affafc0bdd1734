using System.Buffers.Binary;
using System.Text;

namespace Weir.Protocol.Frames;

/// <summary>Writes the fields of a payload: little-endian numbers, and text as u32 length and UTF-8.</summary>
internal readonly ref struct FieldWriter(FrameWriter frame)
{
    /// <summary>As for reading: short ASCII text is written without the encoding.</summary>
    private const int ShortText = 128;

    private readonly FrameWriter _frame = frame;

    public void U8(byte value)
    {
        _frame.GetSpan(1)[0] = value;
        _frame.Advance(1);
    }

    public void U16(ushort value)
    {
        BinaryPrimitives.WriteUInt16LittleEndian(_frame.GetSpan(2), value);
        _frame.Advance(2);
    }

    public void U32(uint value)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(_frame.GetSpan(4), value);
        _frame.Advance(4);
    }

    public void I32(int value) => U32((uint)value);

    public void U64(ulong value)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(_frame.GetSpan(8), value);
        _frame.Advance(8);
    }

    public void I64(long value) => U64((ulong)value);

    /// <summary>Text, cut to <paramref name="most"/> UTF-16 units: a description of a failure must not itself be too long to send.</summary>
    public void Text(string? value, int most = int.MaxValue)
    {
        var text = value.AsSpan();
        if (text.Length > most)
        {
            text = text[..(char.IsHighSurrogate(text[most - 1]) ? most - 1 : most)];
        }

        if (TryNarrow(text))
        {
            return;
        }

        var length = Encoding.UTF8.GetByteCount(text);
        U32((uint)length);
        if (length <= 8 << 10)
        {
            Encoding.UTF8.GetBytes(text, _frame.GetSpan(length));
            _frame.Advance(length);
            return;
        }

        _frame.Write(Encoding.UTF8.GetBytes(text.ToArray()));
    }

    private bool TryNarrow(ReadOnlySpan<char> text)
    {
        if (text.Length > ShortText)
        {
            return false;
        }

        Span<byte> bytes = stackalloc byte[ShortText];
        for (var i = 0; i < text.Length; i++)
        {
            if (text[i] >= 0x80)
            {
                return false;
            }

            bytes[i] = (byte)text[i];
        }

        U32((uint)text.Length);
        _frame.Write(bytes[..text.Length]);
        return true;
    }

    /// <summary>ASCII bytes without a length; anything else becomes a question mark.</summary>
    public void Ascii(string value)
    {
        Encoding.ASCII.GetBytes(value, _frame.GetSpan(value.Length));
        _frame.Advance(value.Length);
    }
}
