using System.Net;
using System.Net.Http.Headers;
using System.Text;
using System.Threading.Channels;

namespace Weir.IntegrationTests.AspNetCore;

/// <summary>A request's body that the test sends piece by piece, while the response may come already.</summary>
internal sealed class SentBody : HttpContent
{
    private readonly Channel<string> _pieces = Channel.CreateUnbounded<string>();
    private long _sent;

    internal SentBody(string mediaType = "application/x-ndjson") => Headers.ContentType = new MediaTypeHeaderValue(mediaType);

    /// <summary>Bytes that the connection has taken.</summary>
    internal long Sent => Interlocked.Read(ref _sent);

    internal void Send(string text) => _pieces.Writer.TryWrite(text);

    internal void End() => _pieces.Writer.TryComplete();

    internal void Break() => _pieces.Writer.TryComplete(new IOException("the sender's own end"));

    /// <summary>Posts it; ends when the response's head is there.</summary>
    internal async Task<HttpResponseMessage> PostAsync(HttpClient client, string path, string? accept = null, CancellationToken cancellationToken = default)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, path) { Version = client.DefaultRequestVersion, VersionPolicy = client.DefaultVersionPolicy, Content = this };
        if (accept is not null)
        {
            request.Headers.TryAddWithoutValidation("Accept", accept);
        }

        return await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, cancellationToken);
    }

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) => SerializeToStreamAsync(stream, context, CancellationToken.None);

    protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context, CancellationToken cancellationToken)
    {
        await foreach (var piece in _pieces.Reader.ReadAllAsync(cancellationToken))
        {
            var bytes = Encoding.UTF8.GetBytes(piece);
            await stream.WriteAsync(bytes, cancellationToken);
            await stream.FlushAsync(cancellationToken);
            Interlocked.Add(ref _sent, bytes.Length);
        }
    }

    protected override bool TryComputeLength(out long length)
    {
        length = -1;
        return false;
    }
}
