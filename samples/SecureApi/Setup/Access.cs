using System.Security.Claims;
using Microsoft.AspNetCore.Authorization;

namespace SecureApi.Setup;

/// <summary>The policies, and what they read from a token.</summary>
internal static class Access
{
    /// <summary>Reads the invoices of the tenant in the token.</summary>
    public const string Read = "read";

    /// <summary>Adds to them.</summary>
    public const string Write = "write";

    /// <summary>Runs the service, and sees nothing of its tenants.</summary>
    public const string Operate = "operate";

    private const string Tenant = "tenant";

    public static void AddPolicies(this AuthorizationBuilder authorization) => authorization
        .AddPolicy(Read, static policy => policy.RequireClaim(Tenant).RequireScope("invoices:read"))
        .AddPolicy(Write, static policy => policy.RequireClaim(Tenant).RequireScope("invoices:write"))
        .AddPolicy(Operate, static policy => policy.RequireRole("operator"));

    /// <summary>The tenant of a user whom a policy has let in.</summary>
    public static string TenantOf(ClaimsPrincipal user) => user.FindFirstValue(Tenant)!;

    // An authority writes one claim with all scopes, 'dotnet user-jwts' one for each.
    private static AuthorizationPolicyBuilder RequireScope(this AuthorizationPolicyBuilder policy, string scope) =>
        policy.RequireAssertion(context => context.User.FindAll("scope").Any(claim => claim.Value.Split(' ').Contains(scope)));
}
