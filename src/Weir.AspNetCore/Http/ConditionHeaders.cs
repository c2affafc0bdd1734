using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;
using Weir.Runtime;

namespace Weir.AspNetCore.Http;

/// <summary>Reads what a request asks for of content: a range, or nothing where the client has it already.</summary>
internal static class ConditionHeaders
{
    /// <summary>The conditions of a request; <c>null</c> for most. A range is defined for GET only (RFC 9110 §14.2), the others for HEAD too.</summary>
    internal static RequestConditions? Of(HttpRequest request)
    {
        var isGet = HttpMethods.IsGet(request.Method);
        if (!isGet && !HttpMethods.IsHead(request.Method))
        {
            return null;
        }

        var headers = request.Headers;
        var range = isGet ? Text(headers, HeaderNames.Range) : null;
        var known = Text(headers, HeaderNames.IfNoneMatch);
        return range is null && known is null ? null : new RequestConditions { Range = range, IfRange = range is null ? null : Text(headers, HeaderNames.IfRange), IfNoneMatch = known };
    }

    // One without a value asks for nothing.
    private static string? Text(IHeaderDictionary headers, string name) =>
        headers.TryGetValue(name, out var values) && string.Join(", ", values.ToArray()) is { Length: > 0 } text ? text : null;
}
