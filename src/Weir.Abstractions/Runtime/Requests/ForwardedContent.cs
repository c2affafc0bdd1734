namespace Weir.Runtime;

/// <summary>Content that arrives in this process, on its way to another one: its pieces are passed on as they are.</summary>
/// <param name="items">Where it arrives; nothing was read of it.</param>
/// <param name="cancellationToken">Cancels waiting for it.</param>
internal sealed class ForwardedContent(ItemReader items, CancellationToken cancellationToken) : ItemSource
{
    private bool _wasRead;
    private bool _hasCurrent;

    public override ResultEncoding CurrentEncoding => items.CurrentEncoding;

    public override async ValueTask<bool> MoveNextAsync()
    {
        Release();
        _wasRead = true;
        _hasCurrent = await items.MoveNextAsync(cancellationToken);
        return _hasCurrent;
    }

    public override void WriteCurrent(PayloadWriter output)
    {
        ArgumentNullException.ThrowIfNull(output);
        output.Write(items.Current.Span);
        Release();
    }

    public override ValueTask DisposeAsync()
    {
        Release();
        return _wasRead ? items.StopAsync() : default;
    }

    private void Release()
    {
        if (_hasCurrent)
        {
            _hasCurrent = false;
            items.Release();
        }
    }
}
