using System.Net;
using System.Net.Http.Headers;

namespace Weir.Client.Requests;

/// <summary>The body of a streamed request: one JSON value a line, of unknown length.</summary>
internal sealed class ItemsContent : HttpContent
{
    private readonly SentItems _items;

    internal ItemsContent(SentItems items)
    {
        _items = items;
        Headers.ContentType = new MediaTypeHeaderValue("application/x-ndjson");
    }

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) => _items.WriteAsync(stream, CancellationToken.None);

#if NET
    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context, CancellationToken cancellationToken) => _items.WriteAsync(stream, cancellationToken);
#endif

    protected override bool TryComputeLength(out long length)
    {
        length = 0;
        return false;
    }
}
