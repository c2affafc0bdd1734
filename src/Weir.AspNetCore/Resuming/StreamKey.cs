using System.Buffers.Binary;
using System.Security.Claims;
using System.Security.Cryptography;
using System.Text;
using Microsoft.AspNetCore.Http;

namespace Weir.AspNetCore.Resuming;

/// <summary>What a request must have in common with the one that began a stream: the caller, and path and query. A hash of both.</summary>
internal sealed record StreamKey(UInt128 High, UInt128 Low)
{
    private const string Anonymous = "";

    /// <summary>The key of a request; <c>null</c> where its caller is authenticated and nothing says who it is.</summary>
    internal static StreamKey? Of(HttpContext http)
    {
        if (Owner(http.User) is not { } owner)
        {
            return null;
        }

        // Each part behind its length: no two requests have the same text.
        var request = http.Request;
        var target = (request.PathBase + request.Path).ToUriComponent() + request.QueryString.ToUriComponent();
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(Encoding.UTF8.GetBytes($"{owner.Length}:{owner}{target.Length}:{target}"), hash);
        return new StreamKey(BinaryPrimitives.ReadUInt128LittleEndian(hash), BinaryPrimitives.ReadUInt128LittleEndian(hash[16..]));
    }

    /// <summary>Who the caller is; empty for an anonymous one, <c>null</c> where it is authenticated and nothing says who it is.</summary>
    /// <param name="user">The caller.</param>
    /// <param name="claimType">The type of the claim that says it; <c>null</c> for the usual ones.</param>
    internal static string? Owner(ClaimsPrincipal user, string? claimType = null)
    {
        // An identity that is not authenticated may claim anything.
        var isAuthenticated = false;
        foreach (var identity in user.Identities)
        {
            if (!identity.IsAuthenticated)
            {
                continue;
            }

            isAuthenticated = true;
            var found = claimType is null
                ? identity.FindFirst(ClaimTypes.NameIdentifier) ?? identity.FindFirst("sub") ?? identity.FindFirst(identity.NameClaimType)
                : identity.FindFirst(claimType);
            if (found is { Value.Length: > 0 } claim)
            {
                return $"{claim.Type.Length}:{claim.Type}{claim.Issuer.Length}:{claim.Issuer}{claim.Value}";
            }
        }

        return isAuthenticated ? null : Anonymous;
    }
}
