using System.Net;

namespace Weir.Client.Requests;

/// <summary>A caller's stream as the body. It is the caller's: unlike <see cref="StreamContent"/>, this does not dispose it.</summary>
internal sealed class UploadContent(Stream source) : HttpContent
{
    private const int BufferSize = 81920;

    private readonly long? _length = source.CanSeek ? source.Length - source.Position : null;
    private int _begun;

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) => CopyAsync(stream, CancellationToken.None);

#if NET
    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context, CancellationToken cancellationToken) => CopyAsync(stream, cancellationToken);
#endif

    protected override bool TryComputeLength(out long length)
    {
        length = _length ?? 0;
        return _length is not null;
    }

    private Task CopyAsync(Stream target, CancellationToken cancellationToken) => Interlocked.Exchange(ref _begun, 1) == 0
        ? source.CopyToAsync(target, BufferSize, cancellationToken)
        : throw new InvalidOperationException("The stream was sent already, and it is read once; a handler must not send the request again.");
}
