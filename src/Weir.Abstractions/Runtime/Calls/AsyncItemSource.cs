using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>Items of an asynchronous producer in this process.</summary>
/// <typeparam name="T">The item's type.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class AsyncItemSource<T> : ItemSource
{
    private readonly StreamCall<T> _call;
    private readonly IAsyncEnumerator<T> _items;

    internal AsyncItemSource(StreamCall<T> call, IAsyncEnumerator<T> items)
    {
        _call = call;
        _items = items;
    }

    /// <summary>The current item.</summary>
    public T Current => _items.Current;

    /// <inheritdoc/>
    public override ValueTask<bool> MoveNextAsync() => _items.MoveNextAsync();

    /// <inheritdoc/>
    public override void WriteCurrent(PayloadWriter output) => _call.Write(output, _items.Current);

    /// <inheritdoc/>
    public override void WriteRawCurrent(PayloadWriter output) => _call.WriteRawItem(output, _items.Current);

    /// <inheritdoc/>
    public override ValueTask DisposeAsync() => _items.DisposeAsync();
}
