using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;
using Microsoft.Net.Http.Headers;

namespace Weir.AspNetCore.Http;

/// <summary>What an operation adds to a response.</summary>
internal static class ResponseHeaders
{
    // A status above 599 is invalid, and 1xx ends no response: a client would wait for the final one.
    private const int SmallestStatus = 200;
    private const int LargestStatus = 599;

    /// <summary>Whether a response of this status has a body (RFC 9110 §6.4.1).</summary>
    internal static bool AllowsBody(int status) => status is not (204 or 205 or 304) and >= 200;

    /// <summary>The status that a filter or the operation chose, in the context or else in the response itself, or else the usual one.</summary>
    /// <exception cref="InvalidOperationException">It cannot end a response.</exception>
    internal static int Status(OperationContext? context, HttpResponse response, int usual)
    {
        if (context?.StatusCode is { } status)
        {
            return status is >= SmallestStatus and <= LargestStatus
                ? status
                : throw new InvalidOperationException($"OperationContext.StatusCode of {context.Operation} is {status}; choose one from {SmallestStatus} to {LargestStatus}.");
        }

        return response.StatusCode is > StatusCodes.Status200OK and <= LargestStatus ? response.StatusCode : usual;
    }

    /// <summary>Removes what describes a body that is not sent: another one takes its place.</summary>
    internal static void ForgetBody(IHeaderDictionary headers)
    {
        headers.ContentLength = null;
        headers.Remove(HeaderNames.ContentType);
        headers.Remove(HeaderNames.ContentEncoding);
        headers.Remove(HeaderNames.ETag);
        headers.Remove(HeaderNames.LastModified);
        headers.Remove(HeaderNames.Expires);
    }

    /// <summary>Adds headers, all or none.</summary>
    /// <exception cref="InvalidOperationException">One of them is invalid in a response, or defines its length.</exception>
    internal static void Add(IHeaderDictionary headers, IEnumerable<KeyValuePair<string, string>>? added)
    {
        if (added is null)
        {
            return;
        }

        var isAdded = false;
        try
        {
            foreach (var (name, value) in added)
            {
                Add(headers, name, value);
            }

            isAdded = true;
        }
        finally
        {
            foreach (var (name, _) in isAdded ? [] : added)
            {
                headers.Remove(name);
            }
        }
    }

    private static void Add(IHeaderDictionary headers, string name, string value)
    {
        if (IsFraming(name))
        {
            throw new InvalidOperationException($"The header {name} defines the length of the response, and only the server may set it; do not add it.");
        }

        try
        {
            headers[name] = name.Equals(HeaderNames.Vary, StringComparison.OrdinalIgnoreCase) ? StringValues.Concat(headers.Vary, value) : value;
        }
        catch (Exception error) when (error is InvalidOperationException or ArgumentException)
        {
            throw new InvalidOperationException(
                $"The header '{name}' cannot be in a response: {error.Message} A name is a token, and a value has printable characters of ASCII only; encode others, as Uri.EscapeDataString does.", error);
        }
    }

    // A receiver that trusted a wrong length would take the rest for another response.
    private static bool IsFraming(string name) =>
        name.Equals(HeaderNames.ContentLength, StringComparison.OrdinalIgnoreCase) || name.Equals(HeaderNames.TransferEncoding, StringComparison.OrdinalIgnoreCase);
}
