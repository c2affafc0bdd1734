using Weir;

namespace System.Security.Claims;

/// <summary>Owners of durable jobs.</summary>
public static class WeirJobsClaimsPrincipalExtensions
{
    /// <summary>
    /// What <see cref="JobOptions.Owner"/> must be so that this caller sees a job over HTTP that code submits: <c>new JobOptions { Owner = http.User.JobOwner() }</c>.
    /// </summary>
    /// <param name="user">The caller.</param>
    /// <param name="claim">The type of the claim that names an owner: what <see cref="WeirJobsOptions.OwnerClaim"/> says. <c>null</c>, the default: <c>NameIdentifier</c>, else <c>sub</c>, else the name.</param>
    /// <returns>At most 200 characters; <c>null</c> for an anonymous caller, and for one without the claim.</returns>
    public static string? JobOwner(this ClaimsPrincipal user, string? claim = null)
    {
        ArgumentNullException.ThrowIfNull(user);
        return Weir.Jobs.AspNetCore.Access.JobOwner.Of(user, claim) is { Length: > 0 } owner ? owner : null;
    }
}
