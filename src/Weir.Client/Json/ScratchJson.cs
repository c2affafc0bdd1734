using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Weir.Client.Json;

/// <summary>A JSON writer with its buffer, one for each thread: a body is encoded into it and copied out at its exact size.</summary>
internal sealed class ScratchJson : IBufferWriter<byte>
{
    private const int SmallestBuffer = 512;

    // A larger buffer is not kept for the next body.
    private const int LargestKept = 64 * 1024;

    [ThreadStatic]
    private static ScratchJson? _free;

    private byte[] _buffer = new byte[SmallestBuffer];
    private int _length;

    private ScratchJson() => Writer = new Utf8JsonWriter(this, new JsonWriterOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, SkipValidation = true });

    internal Utf8JsonWriter Writer { get; }

    internal static ScratchJson Rent()
    {
        var one = _free ?? new ScratchJson();
        _free = null;
        return one;
    }

    // A body whose encoding failed is not returned: its writer is in the middle of a value.
    internal static void Return(ScratchJson one)
    {
        if (one._buffer.Length <= LargestKept)
        {
            one._length = 0;
            one.Writer.Reset();
            _free = one;
        }
    }

    /// <summary>What was written.</summary>
    internal byte[] ToArray()
    {
        Writer.Flush();
        return _buffer.AsSpan(0, _length).ToArray();
    }

    /// <summary>What was written; valid until the next use.</summary>
    internal ArraySegment<byte> Written
    {
        get
        {
            Writer.Flush();
            return new ArraySegment<byte>(_buffer, 0, _length);
        }
    }

    void IBufferWriter<byte>.Advance(int count) => _length += count;

    Memory<byte> IBufferWriter<byte>.GetMemory(int sizeHint)
    {
        Grow(sizeHint);
        return _buffer.AsMemory(_length);
    }

    Span<byte> IBufferWriter<byte>.GetSpan(int sizeHint)
    {
        Grow(sizeHint);
        return _buffer.AsSpan(_length);
    }

    private void Grow(int sizeHint)
    {
        var needed = _length + Math.Max(sizeHint, 1);
        if (needed > _buffer.Length)
        {
            Array.Resize(ref _buffer, Math.Max(needed, (int)Math.Min(0x7FFFFFC7L, _buffer.Length * 2L)));
        }
    }
}
