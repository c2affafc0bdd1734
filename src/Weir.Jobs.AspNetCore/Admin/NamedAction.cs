using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Http;

namespace Weir.Jobs.AspNetCore.Admin;

/// <summary>The end of a path that names something and what is to become of it: <c>Reports/Build/pause</c>.</summary>
/// <param name="Name">The name, which may have slashes, also written <c>%2F</c>.</param>
/// <param name="Action">What is behind the last slash.</param>
internal sealed record NamedAction(string Name, string Action)
{
    /// <summary>Reads it.</summary>
    public static bool TryRead(HttpContext http, [NotNullWhen(true)] out NamedAction? action)
    {
        action = null;
        if (http.Request.RouteValues["rest"] is not string rest || rest.LastIndexOf('/') is not (> 0 and var slash))
        {
            return false;
        }

        action = new NamedAction(rest[..slash].Replace("%2F", "/", StringComparison.OrdinalIgnoreCase), rest[(slash + 1)..]);
        return true;
    }
}
