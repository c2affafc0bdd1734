using Microsoft.AspNetCore.Http;
using Weir.Jobs.AspNetCore.Hosting;
using Weir.Jobs.Storage;

namespace Weir.Jobs.AspNetCore.Access;

/// <summary>Which jobs a caller may see and cancel: its own, those of an anonymous submitter whose id it knows, and with the policy of the admin endpoints all. Used concurrently.</summary>
/// <param name="services">The application.</param>
internal sealed class JobAccess(JobServices services)
{
    private readonly AdminPolicy _admin = new(services);

    /// <summary>The job of a request; <c>null</c> where there is none that the caller may see.</summary>
    public async ValueTask<JobRecord?> FindAsync(HttpContext http)
    {
        return TryReadId(http, out var id)
            && await services.Jobs.FindAsync(id, http.RequestAborted) is { } job
            && (IsOwn(http, job) || await _admin.AllowsAsync(http))
                ? job
                : null;
    }

    /// <summary>Whether the caller acts as an operator: it passes the policy of the admin endpoints, and is not the owner of the job by name.</summary>
    public async ValueTask<bool> IsOperatorAsync(HttpContext http, JobRecord job) => !(IsOwn(http, job) && job.Owner is { Length: > 0 }) && await _admin.AllowsAsync(http);

    /// <summary>The job of a request that has passed the policy of the admin endpoints; <c>null</c> where there is none.</summary>
    public async ValueTask<JobRecord?> FindForAdminAsync(HttpContext http) =>
        TryReadId(http, out var id) ? await services.Jobs.FindAsync(id, http.RequestAborted) : null;

    // One address for a job: the parser itself would ignore blanks around it.
    private static bool TryReadId(HttpContext http, out Guid id)
    {
        id = default;
        return http.Request.RouteValues["id"] is string { Length: 36 } text && Guid.TryParseExact(text, "D", out id);
    }

    // Without an owner it belongs to the application itself. Ids cannot be guessed: that of an anonymous caller is its only proof.
    private bool IsOwn(HttpContext http, JobRecord job) => job.Owner is { } owner && (owner.Length == 0 || owner == JobOwner.Of(http.User, services.Engine.OwnerClaim));
}
