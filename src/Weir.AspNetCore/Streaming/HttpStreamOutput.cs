using System.Buffers;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;
using Weir.AspNetCore.Http;
using Weir.Runtime;

namespace Weir.AspNetCore.Streaming;

/// <summary>A stream's response: headers that stop intermediaries from holding items back, then the bytes.</summary>
internal sealed class HttpStreamOutput(HttpContext http, StreamCall call, StringValues contentType, bool isNegotiated, int? unsentLimit, TimeProvider time, string? stream = null) : IStreamOutput
{
    private static readonly StringValues CacheControl = "no-cache, no-transform";
    private static readonly StringValues Unbuffered = "no";

    // Null where the connection has no socket of its own, or carries other streams as well.
    private ReaderPace? _pace;

    public int PieceSize => _pace is { IsFast: false } ? ReaderPace.PieceSize : int.MaxValue;

    public void Commit()
    {
        var response = http.Response;
        var status = ResponseHeaders.Status(call.Context, response, StatusCodes.Status200OK);
        if (!ResponseHeaders.AllowsBody(status))
        {
            throw new InvalidOperationException($"{call.Operation} is a stream, and a filter chose status {status}, which has no body; choose another.");
        }

        response.StatusCode = status;
        response.Headers.ContentType = contentType;
        response.Headers.CacheControl = CacheControl;
        response.Headers["X-Accel-Buffering"] = Unbuffered;
        ResponseHeaders.Add(response.Headers, call.Context is { HasHeaders: true } context ? context.Headers : null);
        if (call.Operation.StreamsBytes && contentType != (call.Operation.MediaType ?? MediaTypes.OctetStream))
        {
            // The media type that the operation gives its bytes is not that of their base64 in JSON.
            response.Headers.ContentType = contentType;
        }

        if (stream is not null)
        {
            response.Headers["Weir-Stream"] = stream;
        }

        if (isNegotiated)
        {
            response.Headers.Append(HeaderNames.Vary, HeaderNames.Accept);
        }

        http.Features.Get<IHttpResponseBodyFeature>()?.DisableBuffering();
        if (unsentLimit is { } limit && UnsentLimit.Set(http, limit) is { } socket && !HttpProtocol.IsHttp2(http.Request.Protocol))
        {
            _pace = new ReaderPace(() => UnsentLimit.TakesMore(socket), time);
        }
    }

    // Written and flushed separately: what is written has been copied, so that a stream whose reader is slow holds no buffer of its own.
    public async ValueTask<bool> WriteAsync(ReadOnlyMemory<byte> bytes, bool isLast)
    {
        var writer = http.Response.BodyWriter;
        writer.Write(bytes.Span);
        var flushing = writer.FlushAsync();
        var isReady = flushing.IsCompleted;
        var began = isReady ? 0 : time.GetTimestamp();
        var flushed = await flushing;
        if (flushed.IsCompleted || flushed.IsCanceled)
        {
            return false;
        }

        if (!isReady)
        {
            _pace?.Flushed(time.GetElapsedTime(began));
        }
        else if (!isLast && _pace is not null)
        {
            try
            {
                await _pace.TakenAsync(bytes.Length, http.RequestAborted);
            }
            catch (OperationCanceledException)
            {
                // The request was cancelled, and the reader may still be connected for the last item. The next flush shows whether it is.
            }
        }

        return true;
    }

    public void Abort() => http.Abort();
}
