using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Weir.Server.Binding;

/// <summary>The bytes of a request's body.</summary>
internal static class RequestBody
{
    /// <summary>Whether there may be one; without a length only reading can tell.</summary>
    internal static bool MayExist(HttpContext http) => http.Request.ContentLength is { } length
        ? length > 0
        : http.Features.Get<IHttpRequestBodyDetectionFeature>()?.CanHaveBody ?? true;

    /// <summary>Appends the whole body; the buffer grows with what has arrived, never with what is announced.</summary>
    /// <exception cref="BadHttpRequestException">The body is larger than the server's limit, or cut off.</exception>
    internal static async ValueTask ReadAsync(HttpRequest request, PayloadWriter into)
    {
        var reader = request.BodyReader;
        while (true)
        {
            var result = await reader.ReadAsync();
            foreach (var segment in result.Buffer)
            {
                into.Write(segment.Span);
            }

            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted || result.IsCanceled)
            {
                return;
            }
        }
    }

    /// <summary>Whether there is nothing in it; waits for the first byte at most.</summary>
    internal static async ValueTask<bool> IsEmptyAsync(HttpRequest request)
    {
        if (request.ContentLength > 0)
        {
            return false;
        }

        var result = await request.BodyReader.ReadAsync();
        var empty = result.Buffer.IsEmpty && result.IsCompleted;
        request.BodyReader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
        return empty;
    }
}
