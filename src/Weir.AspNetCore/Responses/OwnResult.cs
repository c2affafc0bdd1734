using System.Buffers;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.HttpResults;
using Microsoft.Net.Http.Headers;
using Weir.AspNetCore.Http;
using Weir.Runtime;

namespace Weir.AspNetCore.Responses;

/// <summary>Writes results that are the response themselves: an <see cref="IResult"/>, or bytes as they come.</summary>
internal static class OwnResult
{
    // What is read and sent in one piece; the most that a download holds, beside the server's own buffers.
    private const int PieceSize = 64 * 1024;

    private static readonly string[] Descriptive = [HeaderNames.ETag, HeaderNames.LastModified, HeaderNames.AcceptRanges, HeaderNames.ContentLength];

    /// <summary>Writes the whole response, and leaves the result open. A failure after the first byte aborts it.</summary>
    /// <exception cref="InvalidOperationException">There is no result.</exception>
    internal static Task WriteAsync(HttpContext http, Call call) => call.Result switch
    {
        IResult result => ExecuteAsync(http, call.Context, result),
        Stream content => CopyAsync(http, call, content),
        PipeReader content => CopyAsync(http, call, content.AsStream()),
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

    private static async Task CopyAsync(HttpContext http, Call call, Stream content)
    {
        var (response, context) = (http.Response, call.Context);
        var token = http.RequestAborted;
        var buffer = ArrayPool<byte>.Shared.Rent(PieceSize);
        try
        {
            // 1. What is sent, and the first piece of it: what fails here is still an ordinary problem.
            var status = ResponseHeaders.Status(context, response, StatusCodes.Status200OK);
            var selection = ContentSelection.Of(call.Operation, content, status, Chosen(context, response.Headers), ConditionHeaders.Of(http.Request));
            status = selection.Status ?? status;
            var allowsBody = ResponseHeaders.AllowsBody(status);
            var hasBody = allowsBody && selection.HasContent && !HttpMethods.IsHead(http.Request.Method);
            var selected = new SelectedContent(content, selection);
            var read = hasBody ? await selected.ReadAsync(buffer.AsMemory(0, PieceSize), token) : 0;

            // 2. Status and headers.
            response.StatusCode = status;
            var headers = selection.Headers();
            headers.Remove(HeaderNames.ContentLength);
            if (allowsBody && selection.HasContent && status != StatusCodes.Status416RangeNotSatisfiable)
            {
                response.Headers.ContentType = call.Operation.MediaType ?? MediaTypes.OctetStream;
            }

            ResponseHeaders.Add(response.Headers, headers);
            response.ContentLength = allowsBody ? selection.Length : null;

            // 3. The rest. Each piece is flushed: no more than one is held.
            while (read > 0)
            {
                var flushed = await response.BodyWriter.WriteAsync(buffer.AsMemory(0, read), token);
                if (flushed.IsCompleted || flushed.IsCanceled)
                {
                    // The client has disconnected.
                    return;
                }

                read = await selected.ReadAsync(buffer.AsMemory(0, PieceSize), token);
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    // An operation may have set what describes its content in the response itself.
    private static Dictionary<string, string>? Chosen(OperationContext? context, IHeaderDictionary set)
    {
        var chosen = context is { HasHeaders: true } ? new Dictionary<string, string>(context.Headers, StringComparer.OrdinalIgnoreCase) : null;
        foreach (var name in Descriptive)
        {
            if (set.TryGetValue(name, out var values) && values.Count == 1 && values[0] is { } value)
            {
                (chosen ??= new(StringComparer.OrdinalIgnoreCase)).TryAdd(name, value);
            }
        }

        return chosen;
    }
}
