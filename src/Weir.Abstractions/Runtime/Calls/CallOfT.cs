using System.ComponentModel;
using System.Threading.Tasks.Sources;

namespace Weir.Runtime;

/// <summary>A call of an operation with one value as its result.</summary>
/// <typeparam name="T">The result's type.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class Call<T> : Call, IValueTaskSource<T>
{
    // A buffer for encoded results that stays with the call from use to use.
    private const int LargestKept = 1024;
    private const int NotEncoded = -1;

    private T _value = default!;
    private byte[] _encoded = [];
    private int _encodedLength = NotEncoded;
    private ResultEncoding _encoding;
    private bool _hasValue;

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
            if (_encodedLength != NotEncoded)
            {
                Value = Decode(Encoded, _encoding);
            }

            return _value;
        }

        set
        {
            _encodedLength = NotEncoded;
            _value = value;
            _hasValue = true;
        }
    }

    /// <inheritdoc/>
    public sealed override object? Result
    {
        get => Value;
        set => Value = (T)value!;
    }

    /// <inheritdoc/>
    public sealed override bool TrySetResult(object? value)
    {
        if (value is not T && !(value is null && default(T) is null))
        {
            return false;
        }

        Value = (T)value!;
        return true;
    }

    /// <inheritdoc/>
    public sealed override bool HasResult => _hasValue || _encodedLength != NotEncoded;

    /// <inheritdoc/>
    public sealed override bool IsResultNull =>
        _encodedLength != NotEncoded ? _encoding == ResultEncoding.Json && Encoded.SequenceEqual("null"u8) : _value is null;

    private ReadOnlySpan<byte> Encoded => _encoded.AsSpan(0, _encodedLength);

    /// <inheritdoc/>
    public sealed override void WriteResult(PayloadWriter output, ResultEncoding encoding)
    {
        ArgumentNullException.ThrowIfNull(output);
        if (output.ReplacesGeneratedCode && encoding == ResultEncoding.Json && output.TryReplace(Value))
        {
            return;
        }

        if (TryGetEncodedResult(encoding, out var encoded))
        {
            output.Write(encoded.Span);
        }
        else
        {
            Encode(output, Value, encoding);
        }
    }

    /// <inheritdoc/>
    public sealed override void SetEncodedResult(ReadOnlySpan<byte> payload, ResultEncoding encoding)
    {
        if (_encoded.Length < payload.Length)
        {
            ReturnBuffer();
            _encoded = BoundedArrayPool.Rent(payload.Length);
        }

        payload.CopyTo(_encoded);
        _encodedLength = payload.Length;
        _encoding = encoding;
    }

    /// <inheritdoc/>
    public sealed override bool TryGetEncodedResult(ResultEncoding encoding, out ReadOnlyMemory<byte> result)
    {
        var has = _encodedLength != NotEncoded && _encoding == encoding;
        result = has ? _encoded.AsMemory(0, _encodedLength) : default;
        return has;
    }

    T IValueTaskSource<T>.GetResult(short token)
    {
        TakeCompletion(token);
        return Take();
    }

    ValueTaskSourceStatus IValueTaskSource<T>.GetStatus(short token) => GetStatus(token);

    void IValueTaskSource<T>.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        OnCompleted(continuation, state, token, flags);

    /// <summary>Takes what an asynchronous method returned: its value becomes the result. For generated code.</summary>
    /// <param name="running">The method's task.</param>
    protected ValueTask Await(ValueTask<T> running)
    {
        if (!running.IsCompletedSuccessfully)
        {
            return FollowAsync(running);
        }

        Value = running.Result;
        return default;
    }

    /// <summary>Takes what an asynchronous method returned: its value becomes the result. For generated code.</summary>
    /// <param name="running">The method's task.</param>
    protected ValueTask Await(Task<T> running) => Await(new ValueTask<T>(running));

    /// <summary>Writes a value.</summary>
    /// <param name="output">The bytes are appended to it.</param>
    /// <param name="value">The value.</param>
    /// <param name="encoding"><see cref="ResultEncoding.Raw"/> only for text and bytes.</param>
    protected abstract void Encode(PayloadWriter output, T value, ResultEncoding encoding);

    /// <summary>Reads a value that <see cref="Encode"/> wrote.</summary>
    /// <param name="payload">All its bytes.</param>
    /// <param name="encoding">How they are encoded.</param>
    /// <exception cref="ProtocolViolationException">They are not a value.</exception>
    protected abstract T Decode(ReadOnlySpan<byte> payload, ResultEncoding encoding);

    /// <summary>The result, of a call that is being returned.</summary>
    internal T Take()
    {
        var value = Value;
        Return();
        return value;
    }

    private protected override void Clear()
    {
        base.Clear();
        Value = default!;
        _hasValue = false;
        if (_encoded.Length > LargestKept)
        {
            ReturnBuffer();
        }
    }

    private async ValueTask FollowAsync(ValueTask<T> running) => Value = await running.ConfigureAwait(false);

    private void ReturnBuffer()
    {
        if (_encoded.Length > 0)
        {
            BoundedArrayPool.Return(_encoded);
            _encoded = [];
        }
    }
}
