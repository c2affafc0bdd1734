using System.Security.Claims;

namespace Weir.IntegrationTests.Services;

/// <summary>Says who calls.</summary>
[Service]
public sealed class Callers
{
    public string Inline(ClaimsPrincipal user, OperationContext context) => Describe(user, context);

    [Isolated("probe")] public string Isolated(ClaimsPrincipal user, OperationContext context) => Describe(user, context);

    [Isolated("probe")] public string Only(ClaimsPrincipal user) => Describe(user, null);

    [Isolated("probe")]
    public async IAsyncEnumerable<string> Stream(ClaimsPrincipal user, OperationContext context)
    {
        await Task.Yield();
        yield return Describe(user, context);
    }

    [Resumable]
    public async IAsyncEnumerable<string> Kept(ClaimsPrincipal user, OperationContext context)
    {
        await Task.Yield();
        yield return Describe(user, context);
    }

    [Isolated("probe")] public int Length(ClaimsPrincipal user) => user.FindFirst("large")?.Value.Length ?? 0;

    public int LengthInline(ClaimsPrincipal user) => user.FindFirst("large")?.Value.Length ?? 0;

    /// <summary>Its identities, whether it has the role, a claim, and the name of the context's user.</summary>
    internal static string Describe(ClaimsPrincipal user, OperationContext? context)
    {
        var identities = string.Join(", ", user.Identities.Select(static one => $"{one.Name ?? "-"} {(one.IsAuthenticated ? one.AuthenticationType : "-")}"));
        var age = user.FindFirst("age") is { } claim ? $"{claim.Value} {claim.ValueType} {claim.Issuer}" : "";
        return $"{identities}; {(user.IsInRole("admin") ? "admin" : "")}; {age}; {(context is { User: null } ? "no user" : context?.User?.Identity?.Name ?? "-")}";
    }
}
