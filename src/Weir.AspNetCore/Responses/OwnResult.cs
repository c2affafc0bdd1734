using System.Buffers;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.HttpResults;
using Weir.AspNetCore.Http;
using Weir.Runtime;

namespace Weir.AspNetCore.Responses;

/// <summary>Writes results that are the response themselves: an <see cref="IResult"/>, or bytes as they come.</summary>
internal static class OwnResult
{
    // What is read and sent in one piece; the most that a download holds, beside the server's own buffers.
    private const int PieceSize = 64 * 1024;

    /// <summary>Writes the whole response, and leaves the result open. A failure after the first byte aborts it.</summary>
    /// <exception cref="InvalidOperationException">There is no result.</exception>
    internal static Task WriteAsync(HttpContext http, Call call) => call.Result switch
    {
        IResult result => ExecuteAsync(http, call.Context, result),
        Stream content => CopyAsync(http, call.Context, content),
        PipeReader content => CopyAsync(http, call.Context, content.AsStream()),
        _ => throw new InvalidOperationException($"{call.Operation} returned null in place of a response; return TypedResults.NoContent(), or Stream.Null."),
    };

    /// <summary>Disposes the content of a result, which may have been disposed already.</summary>
    internal static ValueTask DisposeAsync(object? result) => result switch
    {
        Stream content => content.DisposeAsync(),
        PipeReader content => content.CompleteAsync(),
        FileStreamHttpResult file => file.FileStream.DisposeAsync(),
        INestedHttpResult nested => DisposeAsync(nested.Result),
        _ => default,
    };

    private static Task ExecuteAsync(HttpContext http, OperationContext? context, IResult result)
    {
        var response = http.Response;
        response.StatusCode = ResponseHeaders.Status(context, response, StatusCodes.Status200OK);
        ResponseHeaders.Add(response.Headers, context is { HasHeaders: true } ? context.Headers : null);
        return result.ExecuteAsync(http);
    }

    private static async Task CopyAsync(HttpContext http, OperationContext? context, Stream content)
    {
        var response = http.Response;
        var token = http.RequestAborted;
        var buffer = ArrayPool<byte>.Shared.Rent(PieceSize);
        try
        {
            // 1. The first piece: what fails here is still an ordinary problem.
            long? length = content.CanSeek ? Math.Max(0, content.Length - content.Position) : null;
            var hasBody = !HttpMethods.IsHead(http.Request.Method);
            var left = length ?? long.MaxValue;
            var read = hasBody ? await ReadAsync() : 0;

            // 2. Status and headers.
            response.StatusCode = ResponseHeaders.Status(context, response, StatusCodes.Status200OK);
            hasBody &= ResponseHeaders.AllowsBody(response.StatusCode);
            if (ResponseHeaders.AllowsBody(response.StatusCode))
            {
                response.Headers.ContentType = MediaTypes.OctetStream;
                response.ContentLength = length;
            }

            ResponseHeaders.Add(response.Headers, context is { HasHeaders: true } ? context.Headers : null);

            // 3. The rest. Each piece is flushed: no more than one is held.
            while (hasBody && read > 0)
            {
                var flushed = await response.BodyWriter.WriteAsync(buffer.AsMemory(0, read), token);
                if (flushed.IsCompleted || flushed.IsCanceled)
                {
                    // The client has disconnected.
                    return;
                }

                read = await ReadAsync();
            }

            // A file that grows while it is sent is sent with the length that it had.
            async ValueTask<int> ReadAsync()
            {
                var count = left > 0 ? await content.ReadAsync(buffer.AsMemory(0, (int)Math.Min(left, PieceSize)), token) : 0;
                left -= count;
                return count;
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }
}
