using System.Security.Claims;
using Microsoft.AspNetCore.Http;

namespace Weir.AspNetCore.Diagnostics;

/// <summary>What people read of who sends a request.</summary>
internal static class CallerName
{
    /// <summary>The name of the user, or its id where the identity has no name, as tokens of machines have none; <c>null</c> for an anonymous one.</summary>
    public static string? Of(HttpContext http)
    {
        var user = http.User;
        return user.Identity?.Name is { Length: > 0 } name ? name : (user.FindFirst(ClaimTypes.NameIdentifier) ?? user.FindFirst("sub"))?.Value is { Length: > 0 } id ? id : null;
    }
}
