using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>A call whose result is a sequence of items of one type.</summary>
/// <typeparam name="T">The item's type.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class StreamCall<T> : StreamCall
{
    /// <summary>A call of an operation.</summary>
    /// <param name="operation">The operation.</param>
    protected StreamCall(Operation operation)
        : base(operation)
    {
    }

    /// <summary>Writes one item as one JSON value.</summary>
    /// <param name="output">The bytes are appended to it.</param>
    /// <param name="item">The item.</param>
    public abstract void WriteItem(PayloadWriter output, T item);

    /// <summary>Writes one item of bytes as it is. Written by the generator where <see cref="Operation.StreamsBytes"/>.</summary>
    /// <param name="output">The bytes are appended to it.</param>
    /// <param name="item">The item.</param>
    /// <exception cref="NotSupportedException">The items are no bytes.</exception>
    public virtual void WriteRawItem(PayloadWriter output, T item) => throw new NotSupportedException($"The items of {Operation} are no bytes.");

    /// <summary>Reads one item that <see cref="WriteItem"/> wrote.</summary>
    /// <param name="item">All its bytes.</param>
    /// <exception cref="ProtocolViolationException">They are not an item.</exception>
    public abstract T ReadItem(ReadOnlySpan<byte> item);

    /// <summary>Writes one item as one JSON value, by the serializer where that writes all values instead of generated code.</summary>
    internal void Write(PayloadWriter output, T item)
    {
        if (!output.TryReplace(item))
        {
            WriteItem(output, item);
        }
    }

    internal sealed override void WriteDecoded(PayloadWriter output, ReadOnlySpan<byte> item) => Write(output, ReadItem(item));

    /// <summary>Takes an asynchronous producer as the source.</summary>
    /// <param name="items">What the method returned.</param>
    /// <param name="cancellationToken">Given to the enumerator.</param>
    protected void Yield(IAsyncEnumerable<T> items, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(items);
        Source = new AsyncItemSource<T>(this, items.GetAsyncEnumerator(cancellationToken));
    }

    /// <summary>Takes a blocking producer as the source.</summary>
    /// <param name="items">What the method returned.</param>
    protected void Yield(IEnumerable<T> items)
    {
        ArgumentNullException.ThrowIfNull(items);
        BlockingSource = new BlockingItemSource<T>(this, items.GetEnumerator());
    }
}
