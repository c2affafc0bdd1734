using System.Net;

namespace Weir.Lab.Contenders.FanOut;

/// <summary>Counts the responses that were received, and those of them that were disposed.</summary>
internal sealed class DisposalCounter() : DelegatingHandler(new SocketsHttpHandler())
{
    private int _created;
    private int _disposed;

    public int Created => Volatile.Read(ref _created);

    public int Disposed => Volatile.Read(ref _disposed);

    public void Forget() => _created = _disposed = 0;

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        var response = await base.SendAsync(request, cancellationToken);
        response.Content = new CountedContent(response.Content, this);
        Interlocked.Increment(ref _created);
        return response;
    }

    private sealed class CountedContent(HttpContent content, DisposalCounter counter) : HttpContent
    {
        private int _isDisposed;

        protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) => content.CopyToAsync(stream, context);

        protected override bool TryComputeLength(out long length)
        {
            length = content.Headers.ContentLength ?? -1;
            return length >= 0;
        }

        protected override void Dispose(bool disposing)
        {
            if (disposing && Interlocked.Exchange(ref _isDisposed, 1) == 0)
            {
                content.Dispose();
                Interlocked.Increment(ref counter._disposed);
            }

            base.Dispose(disposing);
        }
    }
}
