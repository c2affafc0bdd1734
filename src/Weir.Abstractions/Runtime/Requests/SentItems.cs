namespace Weir.Runtime;

/// <summary>A caller's items on their way to where the operation runs; none of the caller's code runs before the first item is requested.</summary>
internal sealed class SentItems<T>(ItemCodec<T> codec, IAsyncEnumerable<T> items, CancellationToken cancellationToken) : ItemSource
{
    private IAsyncEnumerator<T>? _items;

    public override ResultEncoding CurrentEncoding => codec.EncodingOf(_items!.Current);

    public override ValueTask<bool> MoveNextAsync() => (_items ??= items.GetAsyncEnumerator(cancellationToken)).MoveNextAsync();

    public override void WriteCurrent(PayloadWriter output) => codec.Write(output, _items!.Current);

    public override ValueTask DisposeAsync() => _items?.DisposeAsync() ?? default;
}
