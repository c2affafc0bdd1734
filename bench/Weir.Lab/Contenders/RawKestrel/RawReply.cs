using System.Buffers;
using Microsoft.AspNetCore.Http.Features;

namespace Weir.Lab.Contenders.RawKestrel;

/// <summary>A short answer in one write: length first, so that nothing is chunked; then started, so that there is memory to write to.</summary>
internal static class RawReply
{
    public static Task Send(IHttpResponseFeature head, IHttpResponseBodyFeature response, string type, ReadOnlySpan<byte> body)
    {
        head.Headers.ContentLength = body.Length;
        head.Headers.ContentType = type;
        var started = response.StartAsync();
        if (!started.IsCompletedSuccessfully)
            throw new InvalidOperationException("Kestrel started a response asynchronously, which it does not do over HTTP/1.1.");

        response.Writer.Write(body);
        return Task.CompletedTask;
    }
}
