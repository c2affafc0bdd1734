using System.Buffers;
using System.Buffers.Text;
using System.ComponentModel;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Weir.Runtime;

/// <summary>
/// One growing, contiguous buffer of bytes, pooled up to 1 MB: arguments, results and items are encoded into it before they
/// are sent. Not for concurrent use; the owner clears and reuses it.
/// </summary>
/// <remarks>
/// JSON is written as RFC 8259 UTF-8 with non-ASCII text as itself and at most 64 levels deep. Unbounded by design: its
/// content is one payload, whose limit belongs to the entry point that sends it.
/// </remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class PayloadWriter : IBufferWriter<byte>, IDisposable
{
    /// <summary>The deepest JSON that is read or written: 64 levels.</summary>
    public const int MaxJsonDepth = 64;

    private const int SmallestBuffer = 256;

    // A buffer doubles up to here; a gigabyte more than is needed would be too much.
    private const int LargestStep = 64 * 1024 * 1024;

    private static readonly int LargestBuffer = Array.MaxLength;

    private readonly JsonValueSerializer? _replacement;

    private byte[] _buffer;
    private int _length;
    private int _depth;
    private Utf8JsonWriter? _json;

    /// <summary>A writer that rents its buffer at the first byte.</summary>
    public PayloadWriter() => _buffer = [];

    /// <summary>The serializer of the entry point, for values that generated code cannot write; <c>null</c>, the default, between host and worker.</summary>
    public JsonValueSerializer? Serializer
    {
        get;
        init
        {
            field = value;
            _replacement = value is { ReplacesGeneratedCode: true } ? value : null;
        }
    }

    /// <summary>Whether JSON may have line breaks, which the serializer's options may ask for: not between the items of a stream. Default <c>false</c>.</summary>
    public bool MayIndent { get; init; }

    /// <summary>
    /// Whether it writes the arguments or sent items of a call for a worker: a number that JSON cannot hold is text, <c>"NaN"</c>, <c>"Infinity"</c>
    /// or <c>"-Infinity"</c>, and the object around the arguments is a level more. Default <c>false</c>.
    /// </summary>
    public bool IsForWorker { get; init; }

    /// <summary>Whether the serializer writes all values instead of generated code.</summary>
    public bool ReplacesGeneratedCode => _replacement is not null;

    /// <summary>How many bytes are written.</summary>
    public int Length => _length;

    /// <summary>How many bytes of memory it holds.</summary>
    public int Capacity => _buffer.Length;

    /// <summary>The bytes written so far; valid until the next write, <see cref="Clear"/> or <see cref="Dispose"/>.</summary>
    public ReadOnlyMemory<byte> WrittenMemory => _buffer.AsMemory(0, _length);

    /// <summary>The bytes written so far; valid until the next write, <see cref="Clear"/> or <see cref="Dispose"/>.</summary>
    public ReadOnlySpan<byte> WrittenSpan => _buffer.AsSpan(0, _length);

    /// <summary>Clears what was written and keeps the buffer.</summary>
    public void Clear() => (_length, _depth) = (0, 0);

    /// <summary>Clears what was written after <paramref name="length"/> bytes.</summary>
    /// <param name="length">A length this writer once had; no more than <see cref="Length"/>.</param>
    public void Truncate(int length)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)length, (uint)_length, nameof(length));
        (_length, _depth) = (length, 0);
    }

    /// <summary>A JSON writer at the end of this buffer. <see cref="EndJson"/> must follow before anything else is written.</summary>
    public Utf8JsonWriter BeginJson()
    {
        if (_json is null)
        {
            _json = new Utf8JsonWriter(this, _replacement?.WriterOptions(MayIndent) ?? Json.Options);
        }
        else
        {
            _json.Reset(this);
        }

        return _json;
    }

    /// <summary>Ends what <see cref="BeginJson"/> began.</summary>
    public void EndJson() => _json!.Flush();

    /// <summary>
    /// Begins a JSON object or array. Generated code writes a comma behind each element, or before the next name; <see cref="EndObject"/> or
    /// <see cref="EndArray"/> must follow, or else <see cref="Clear"/> or <see cref="Truncate"/>.
    /// </summary>
    /// <param name="start">The bracket, and what is known of that which follows: <c>{"id":</c>.</param>
    /// <exception cref="InvalidOperationException">It would be deeper than <see cref="MaxJsonDepth"/>.</exception>
    public void Begin(ReadOnlySpan<byte> start)
    {
        if (_depth == MaxJsonDepth + (IsForWorker ? 1 : 0))
        {
            throw new InvalidOperationException($"A value has more than {MaxJsonDepth} levels of objects and arrays, the most that JSON is written with; look for an object that contains itself.");
        }

        _depth++;
        Write(start);
    }

    /// <summary>Ends the JSON object that <see cref="Begin"/> began; a comma at its end goes.</summary>
    public void EndObject() => End((byte)'}');

    /// <summary>Ends the JSON array that <see cref="Begin"/> began; a comma at its end goes.</summary>
    public void EndArray() => End((byte)']');

    /// <summary>Appends bytes as base64 in a JSON string.</summary>
    /// <param name="bytes">The bytes.</param>
    public void WriteBase64(ReadOnlySpan<byte> bytes)
    {
        var span = GetSpan(Base64.GetMaxEncodedToUtf8Length(bytes.Length) + 2);
        span[0] = (byte)'"';
        Base64.EncodeToUtf8(bytes, span[1..], out _, out var length);
        span[length + 1] = (byte)'"';
        _length += length + 2;
    }

    /// <summary>Appends a value that only the serializer can write: by that of the entry point, or else by <paramref name="workers"/>.</summary>
    /// <typeparam name="T">The value's type.</typeparam>
    /// <param name="value">The value.</param>
    /// <param name="workers">The serializer between host and worker.</param>
    public void WriteSerialized<T>(T value, JsonValueSerializer workers)
    {
        ArgumentNullException.ThrowIfNull(workers);
        var before = _length;
        try
        {
            (Serializer ?? workers).Write(BeginJson(), value);
        }
        catch (ArgumentException) when (IsForWorker && Serializer is null)
        {
            // A number in it that JSON cannot hold: rare, so that the others do not pay for it.
            _length = before;
            workers.WriteNamed(BeginJson(), value);
        }

        EndJson();
    }

    /// <summary>Appends a value by the serializer, if that writes all values instead of generated code. Bytes have one form everywhere.</summary>
    /// <typeparam name="T">The value's type.</typeparam>
    /// <param name="value">The value.</param>
    internal bool TryReplace<T>(T value)
    {
        if (_replacement is null || BytesScalar.IsBytes<T>())
        {
            return false;
        }

        _replacement.Write(BeginJson(), value);
        EndJson();
        return true;
    }

    /// <summary>Appends bytes.</summary>
    /// <param name="bytes">Copied.</param>
    public void Write(ReadOnlySpan<byte> bytes)
    {
        if (!bytes.IsEmpty)
        {
            bytes.CopyTo(GetSpan(bytes.Length));
            _length += bytes.Length;
        }
    }

    /// <summary>
    /// Makes one line of the JSON value that was written last: line breaks are white space there, since text in JSON has none. Only a converter
    /// that writes JSON as it is given can have written one.
    /// </summary>
    /// <param name="from">The length of this writer before the value.</param>
    /// <param name="isForeign">Whether the value was encoded elsewhere; otherwise it is searched only where the serializer wrote anything.</param>
    public void Flatten(int from, bool isForeign)
    {
        if (!isForeign && _json is null)
        {
            return;
        }

        var rest = _buffer.AsSpan(from, _length - from);
        for (var at = rest.IndexOfAny((byte)'\n', (byte)'\r'); at >= 0; at = rest.IndexOfAny((byte)'\n', (byte)'\r'))
        {
            rest[at] = (byte)' ';
            rest = rest[(at + 1)..];
        }
    }

    /// <summary>Appends text as UTF-8.</summary>
    /// <param name="text">Lone surrogates become U+FFFD.</param>
    public void WriteText(ReadOnlySpan<char> text)
    {
        var span = GetSpan(Encoding.UTF8.GetMaxByteCount(text.Length));
        _length += Encoding.UTF8.GetBytes(text, span);
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)count, (uint)(_buffer.Length - _length), nameof(count));
        _length += count;
    }

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _buffer.AsMemory(_length);
    }

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _buffer.AsSpan(_length);
    }

    /// <summary>Returns the buffer to the pool; the writer stays usable and rents again.</summary>
    public void Dispose()
    {
        var buffer = _buffer;
        _buffer = [];
        (_length, _depth) = (0, 0);
        if (buffer.Length > 0)
        {
            BoundedArrayPool.Return(buffer);
        }
    }

    private void End(byte bracket)
    {
        _depth--;
        if (_buffer[_length - 1] == ',')
        {
            _buffer[_length - 1] = bracket;
            return;
        }

        Reserve(1);
        _buffer[_length++] = bracket;
    }

    private void Reserve(int sizeHint)
    {
        var needed = Math.Max(sizeHint, 1);
        if (_buffer.Length - _length >= needed)
        {
            return;
        }

        var size = (long)_length + needed;
        if (size > LargestBuffer)
        {
            throw new PayloadTooLargeException(CallStatus.HandlerFailed, $"A payload of {size} bytes or more fits into no array, which holds {LargestBuffer}; stream it in items. See {WeirCodes.PayloadTooLarge}.");
        }

        var grown = Math.Min((long)_buffer.Length + Math.Min(_buffer.Length, LargestStep), LargestBuffer);
        var larger = BoundedArrayPool.Rent((int)Math.Max(SmallestBuffer, Math.Max(size, grown)));
        _buffer.AsSpan(0, _length).CopyTo(larger);
        if (_buffer.Length > 0)
        {
            BoundedArrayPool.Return(_buffer);
        }

        _buffer = larger;
    }

    // Separate: code that writes text and bytes needs no encoder, which is made at run time.
    private static class Json
    {
        public static readonly JsonWriterOptions Options = new()
        {
            Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
            MaxDepth = MaxJsonDepth,
#if !DEBUG
            SkipValidation = true,
#endif
        };
    }
}
