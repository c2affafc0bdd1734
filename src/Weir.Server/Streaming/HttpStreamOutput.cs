using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Primitives;
using Weir.Server.Errors;

namespace Weir.Server.Streaming;

/// <summary>A stream's response: headers that keep everything on the way from holding items back, then the bytes.</summary>
internal sealed class HttpStreamOutput(HttpContext http, StreamCall call, StringValues contentType) : IStreamOutput
{
    private static readonly StringValues CacheControl = "no-cache, no-transform";
    private static readonly StringValues Unbuffered = "no";

    public void Commit()
    {
        var response = http.Response;
        var status = ResponseHeaders.Status(call.Context, StatusCodes.Status200OK);
        if (!ResponseHeaders.AllowsBody(status))
        {
            throw new InvalidOperationException($"{call.Operation} is a stream, and a filter chose status {status}, which has no body; choose another.");
        }

        response.StatusCode = status;
        response.Headers.ContentType = contentType;
        response.Headers.CacheControl = CacheControl;
        response.Headers["X-Accel-Buffering"] = Unbuffered;
        ResponseHeaders.Add(response.Headers, call.Context is { HasHeaders: true } context ? context.Headers : null);

        http.Features.Get<IHttpResponseBodyFeature>()?.DisableBuffering();
    }

    public async ValueTask WriteAsync(ReadOnlyMemory<byte> bytes) => await http.Response.BodyWriter.WriteAsync(bytes);

    public void Abort() => http.Abort();
}
