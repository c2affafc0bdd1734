using System.Buffers;

namespace Weir.Runtime;

/// <summary>A caller's stream on its way to where the operation runs, one piece after the other; none of it is read before the first piece is requested.</summary>
/// <param name="content">Stays open: it is the caller's.</param>
/// <param name="cancellationToken">Cancels reading it.</param>
internal sealed class SentContent(Stream content, CancellationToken cancellationToken) : ItemSource
{
    private byte[]? _piece;
    private int _length;

    public override ResultEncoding CurrentEncoding => ResultEncoding.Raw;

    public override async ValueTask<bool> MoveNextAsync()
    {
        _piece ??= ArrayPool<byte>.Shared.Rent(ContentItems.PieceSize);
        _length = await content.ReadAsync(_piece.AsMemory(0, ContentItems.PieceSize), cancellationToken);
        return _length > 0;
    }

    public override void WriteCurrent(PayloadWriter output)
    {
        ArgumentNullException.ThrowIfNull(output);
        output.Write(_piece.AsSpan(0, _length));
    }

    public override ValueTask DisposeAsync()
    {
        if (_piece is { } piece)
        {
            _piece = null;
            ArrayPool<byte>.Shared.Return(piece);
        }

        return default;
    }
}
