using Weir.Runtime;

namespace Weir.AspNetCore.Files;

/// <summary>The content of one file among those that arrive: raw items, which end before the next file.</summary>
/// <param name="files">It arrives among them.</param>
/// <param name="file">The file.</param>
internal sealed class FileContent(ReceivedFiles files, ReceivedFile file) : ItemReader
{
    public override string Source => "form";

    public override ReadOnlyMemory<byte> Current => files.Piece;

    public override ResultEncoding CurrentEncoding => ResultEncoding.Raw;

    public override ValueTask<bool> MoveNextAsync(CancellationToken cancellationToken) => files.MoveNextAsync(file, cancellationToken);

    public override void Release() => files.Release();

    // The next file drops the rest of this one; where there can be none, nothing more is wanted.
    public override ValueTask StopAsync() => files.IsList ? default : files.StopAsync();
}
