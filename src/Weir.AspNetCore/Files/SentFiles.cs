using System.Buffers;
using Microsoft.AspNetCore.Http;
using Weir.Runtime;

namespace Weir.AspNetCore.Files;

/// <summary>A caller's files on their way to where the operation runs, one after the other; none is opened before it is requested.</summary>
/// <param name="files">The caller's.</param>
/// <param name="cancellationToken">Cancels reading them.</param>
internal sealed class SentFiles(IEnumerable<IFormFile> files, CancellationToken cancellationToken) : ItemSource
{
    private IEnumerator<IFormFile>? _files;
    private FileDescriptor? _descriptor;
    private Stream? _content;
    private byte[]? _piece;
    private int _length;
    private long _sent;

    public override ResultEncoding CurrentEncoding => _length > 0 ? ResultEncoding.Raw : ResultEncoding.Json;

    public override async ValueTask<bool> MoveNextAsync()
    {
        if (_descriptor is not null && await MoveNextPieceAsync())
        {
            return true;
        }

        _files ??= files.GetEnumerator();
        _descriptor = _files.MoveNext() ? FileDescriptor.Of(_files.Current) : null;
        return _descriptor is not null;
    }

    public override void WriteCurrent(PayloadWriter output)
    {
        ArgumentNullException.ThrowIfNull(output);
        if (_length > 0)
        {
            output.Write(_piece.AsSpan(0, _length));
        }
        else
        {
            _descriptor!.Write(output);
        }
    }

    public override async ValueTask DisposeAsync()
    {
        await CloseAsync();
        _files?.Dispose();
        if (_piece is { } piece)
        {
            _piece = null;
            ArrayPool<byte>.Shared.Return(piece);
        }
    }

    private async ValueTask<bool> MoveNextPieceAsync()
    {
        _piece ??= ArrayPool<byte>.Shared.Rent(ContentItems.PieceSize);
        _content ??= _files!.Current.OpenReadStream();
        _length = await _content.ReadAsync(_piece.AsMemory(0, ContentItems.PieceSize), cancellationToken);
        _sent += _length;
        if (_sent > _descriptor!.Length || (_length == 0 && _sent < _descriptor.Length))
        {
            throw new InvalidOperationException($"The file '{_descriptor.FileName}' has {(_length > 0 ? "more" : _sent)} bytes, and its Length is {_descriptor.Length}.");
        }

        if (_length == 0)
        {
            await CloseAsync();
        }

        return _length > 0;
    }

    private async ValueTask CloseAsync()
    {
        _sent = 0;
        if (_content is { } content)
        {
            _content = null;
            await content.DisposeAsync();
        }
    }
}
