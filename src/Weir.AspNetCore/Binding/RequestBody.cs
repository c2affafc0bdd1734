using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Weir.Runtime;

namespace Weir.AspNetCore.Binding;

/// <summary>The bytes of a request's body.</summary>
internal static class RequestBody
{
    // What is read of a large body, or of one whose length is not known, before it is staged: arrays that grow with a body of many
    // megabytes would remain in the array pool and in the heap of a process that is idle afterwards and does not collect.
    private const int MostUnstaged = 64 * 1024;

    /// <summary>Whether the request may have a body; without a length only reading shows it.</summary>
    internal static bool MayExist(HttpContext http) => http.Request.ContentLength is { } length
        ? length > 0
        : http.Features.Get<IHttpRequestBodyDetectionFeature>()?.CanHaveBody ?? true;

    /// <summary>Appends the whole body; memory grows with what has arrived, never with the announced length.</summary>
    /// <exception cref="BadHttpRequestException">The body is larger than the server's limit, or cut off.</exception>
    /// <exception cref="OperationCanceledException">The request was cancelled, by a middleware or because the client disconnected.</exception>
    internal static async ValueTask ReadAsync(HttpRequest request, PayloadWriter into)
    {
        var reader = request.BodyReader;
        BodyStage? large = null;
        try
        {
            while (true)
            {
                var result = await BodyPipe.ReadAsync(reader, request.HttpContext.RequestAborted);
                try
                {
                    if (large is null && IsLarge(request.ContentLength, into.Length + result.Buffer.Length))
                    {
                        large = new BodyStage();
                        large.Write(into.WrittenSpan);
                        into.Dispose();
                    }

                    foreach (var segment in result.Buffer)
                    {
                        if (large is null)
                        {
                            into.Write(segment.Span);
                        }
                        else
                        {
                            large.Write(segment.Span);
                        }
                    }
                }
                finally
                {
                    // Also where memory was not enough: the server continues to read after what was consumed.
                    reader.AdvanceTo(result.Buffer.End);
                }

                if (result.IsCompleted)
                {
                    large?.MoveTo(into);
                    return;
                }
            }
        }
        finally
        {
            large?.Dispose();
        }
    }

    // A large announced length must not reserve memory. A compressed body may be longer than its length says.
    private static bool IsLarge(long? announced, long received) =>
        received > MostUnstaged && (announced is not { } length || Math.Max(length, received) > BoundedArrayPool.LargestPooled);

    /// <summary>Whether the body is empty; waits for the first byte at most.</summary>
    internal static async ValueTask<bool> IsEmptyAsync(HttpRequest request)
    {
        if (request.ContentLength > 0)
        {
            return false;
        }

        var result = await BodyPipe.ReadAsync(request.BodyReader, request.HttpContext.RequestAborted);
        var empty = result.Buffer.IsEmpty && result.IsCompleted;
        request.BodyReader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
        return empty;
    }
}
