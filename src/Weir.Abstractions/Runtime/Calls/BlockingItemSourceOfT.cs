using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>Items of a blocking producer in this process.</summary>
/// <typeparam name="T">The item's type.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class BlockingItemSource<T> : BlockingItemSource
{
    private readonly StreamCall<T> _call;
    private readonly IEnumerator<T> _items;

    internal BlockingItemSource(StreamCall<T> call, IEnumerator<T> items)
    {
        _call = call;
        _items = items;
    }

    /// <summary>The current item.</summary>
    public T Current => _items.Current;

    /// <inheritdoc/>
    public override bool MoveNext() => _items.MoveNext();

    /// <inheritdoc/>
    public override void WriteCurrent(PayloadWriter output) => _call.Write(output, _items.Current);

    /// <inheritdoc/>
    public override void WriteRawCurrent(PayloadWriter output) => _call.WriteRawItem(output, _items.Current);

    /// <inheritdoc/>
    protected override void Dispose(bool disposing) => _items.Dispose();
}
