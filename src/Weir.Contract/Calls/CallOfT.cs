namespace Weir;

/// <summary>A call of an operation with one value as its result.</summary>
/// <typeparam name="T">The result's type.</typeparam>
public abstract class Call<T> : Call
{
    private T _value = default!;
    private byte[]? _encoded;
    private ResultEncoding _encoding;

    /// <summary>A call of an operation.</summary>
    /// <param name="operation">The operation.</param>
    protected Call(Operation operation)
        : base(operation)
    {
    }

    /// <summary>The result; decoded at the first read when it came from a worker.</summary>
    public T Value
    {
        get
        {
            if (_encoded is { } encoded)
            {
                Value = Decode(encoded, _encoding);
            }

            return _value;
        }

        set
        {
            _encoded = null;
            _value = value;
        }
    }

    /// <inheritdoc/>
    public sealed override object? Result
    {
        get => Value;
        set => Value = (T)value!;
    }

    /// <inheritdoc/>
    public sealed override bool IsResultNull =>
        _encoded is { } encoded ? _encoding == ResultEncoding.Json && encoded.AsSpan().SequenceEqual("null"u8) : _value is null;

    /// <inheritdoc/>
    public sealed override void WriteResult(PayloadWriter output, ResultEncoding encoding)
    {
        ArgumentNullException.ThrowIfNull(output);
        if (_encoded is { } encoded && _encoding == encoding)
        {
            output.Write(encoded);
        }
        else
        {
            Encode(output, Value, encoding);
        }
    }

    /// <inheritdoc/>
    public sealed override void SetEncodedResult(ReadOnlySpan<byte> payload, ResultEncoding encoding)
    {
        _encoded = payload.ToArray();
        _encoding = encoding;
    }

    /// <summary>Writes a value.</summary>
    /// <param name="output">Takes the bytes, appended.</param>
    /// <param name="value">The value.</param>
    /// <param name="encoding"><see cref="ResultEncoding.Raw"/> only for text and bytes.</param>
    protected abstract void Encode(PayloadWriter output, T value, ResultEncoding encoding);

    /// <summary>Reads a value that <see cref="Encode"/> wrote.</summary>
    /// <param name="payload">All its bytes.</param>
    /// <param name="encoding">How they are encoded.</param>
    /// <exception cref="ProtocolViolationException">They are not a value.</exception>
    protected abstract T Decode(ReadOnlySpan<byte> payload, ResultEncoding encoding);
}
