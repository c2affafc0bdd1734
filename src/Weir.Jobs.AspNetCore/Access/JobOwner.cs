using System.Security.Claims;
using System.Security.Cryptography;
using System.Text;
using Weir.AspNetCore.Resuming;

namespace Weir.Jobs.AspNetCore.Access;

/// <summary>The text by which a store knows the owner of a job that came over HTTP.</summary>
internal static class JobOwner
{
    private const int MostLength = 200;

    /// <summary>The caller: the same text for each of its requests, and for no other caller. Empty for an anonymous one; <c>null</c> where it is authenticated and nothing says who it is.</summary>
    /// <param name="user">The caller.</param>
    /// <param name="claim">The type of the claim that says it; <c>null</c> for the usual ones.</param>
    public static string? Of(ClaimsPrincipal user, string? claim)
    {
        var owner = StreamKey.Owner(user, claim);
        return owner is { Length: > MostLength } ? $"sha256:{Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(owner)))}" : owner;
    }
}
