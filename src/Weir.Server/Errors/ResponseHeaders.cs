using Microsoft.AspNetCore.Http;

namespace Weir.Server.Errors;

/// <summary>What an operation adds to a response.</summary>
internal static class ResponseHeaders
{
    /// <summary>Whether a response of this status has a body (RFC 9110 §6.4.1).</summary>
    internal static bool AllowsBody(int status) => status is not (204 or 205 or 304) and >= 200;

    internal static void Add(IHeaderDictionary headers, IEnumerable<KeyValuePair<string, string>>? added)
    {
        if (added is null)
        {
            return;
        }

        foreach (var (name, value) in added)
        {
            headers[name] = value;
        }
    }
}
