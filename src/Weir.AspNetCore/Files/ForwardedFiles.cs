using Weir.Runtime;

namespace Weir.AspNetCore.Files;

/// <summary>Files that arrive in this process, on their way to another one: descriptors and pieces are passed on.</summary>
/// <param name="files">Where they arrive; no content was read.</param>
/// <param name="first">The file whose descriptor has arrived already; <c>null</c> for none.</param>
/// <param name="cancellationToken">Cancels waiting for them.</param>
internal sealed class ForwardedFiles(ReceivedFiles files, ReceivedFile? first, CancellationToken cancellationToken) : ItemSource
{
    private ReceivedFile? _file;
    private bool _isPiece;
    private bool _isHeld;

    public override ResultEncoding CurrentEncoding => _isPiece ? ResultEncoding.Raw : ResultEncoding.Json;

    public override async ValueTask<bool> MoveNextAsync()
    {
        Release();
        if (_file is not null && await files.MoveNextAsync(_file, cancellationToken))
        {
            _isPiece = _isHeld = true;
            return true;
        }

        _isPiece = false;
        _file = _file is null && first is not null ? first : await files.NextAsync(cancellationToken);
        return _file is not null;
    }

    public override void WriteCurrent(PayloadWriter output)
    {
        ArgumentNullException.ThrowIfNull(output);
        if (!_isPiece)
        {
            _file!.Descriptor.Write(output);
            return;
        }

        output.Write(files.Piece.Span);
        Release();
    }

    public override ValueTask DisposeAsync()
    {
        Release();
        return files.StopAsync();
    }

    private void Release()
    {
        if (_isHeld)
        {
            _isHeld = false;
            files.Release();
        }
    }
}
