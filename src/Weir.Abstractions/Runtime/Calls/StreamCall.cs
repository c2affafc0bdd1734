using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>A call whose result is a sequence of items. After <see cref="Call.InvokeAsync"/> exactly one of the sources is set.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class StreamCall : Call
{
    /// <summary>A call of an operation.</summary>
    /// <param name="operation">The operation.</param>
    protected StreamCall(Operation operation)
        : base(operation)
    {
    }

    /// <summary>The items of an asynchronous producer.</summary>
    public ItemSource? Source { get; protected set; }

    /// <summary>The items of a blocking producer.</summary>
    public BlockingItemSource? BlockingSource { get; protected set; }

    /// <summary>Writes an item that a worker encoded, by the serializer that writes all values instead of generated code.</summary>
    /// <param name="output">The bytes are appended to it.</param>
    /// <param name="item">One JSON value.</param>
    internal abstract void WriteDecoded(PayloadWriter output, ReadOnlySpan<byte> item);

    // Its items refer to it.
    private protected sealed override bool IsReusable => false;

    /// <inheritdoc/>
    public sealed override object? Result
    {
        get => null;
        set => throw new InvalidCastException($"{Operation} is a stream; its result cannot be replaced.");
    }

    /// <inheritdoc/>
    public sealed override void WriteResult(PayloadWriter output, ResultEncoding encoding) =>
        throw new InvalidOperationException($"{Operation} is a stream; its items are written one by one.");

    /// <inheritdoc/>
    public sealed override void SetEncodedResult(ReadOnlySpan<byte> payload, ResultEncoding encoding) =>
        throw new InvalidOperationException($"{Operation} is a stream; its items arrive one by one.");
}
