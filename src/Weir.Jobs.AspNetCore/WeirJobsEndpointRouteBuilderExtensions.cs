using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Weir;
using Weir.AspNetCore.Endpoints;
using Weir.AspNetCore.Responses;
using Weir.Jobs.AspNetCore.Admin;
using Weir.Jobs.AspNetCore.Endpoints;
using Weir.Jobs.Running;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Serves durable jobs over HTTP.</summary>
public static class WeirJobsEndpointRouteBuilderExtensions
{
    /// <summary>
    /// Serves jobs to those who submitted them: requests of operations with <see cref="JobAttribute"/> that ask for it by <c>Prefer: respond-async</c> become jobs, and <c>{path}/{id}</c> answers with the
    /// job, its result and its items, and cancels it. A caller sees the jobs that it has submitted; for every other one the answer is 404. Call it once.
    /// </summary>
    /// <param name="endpoints">Where to map.</param>
    /// <param name="path">The path, without a parameter in it; default <c>/$jobs</c>.</param>
    /// <returns>The conventions of these endpoints: <c>RequireCors</c>, for example.</returns>
    /// <exception cref="InvalidOperationException"><c>AddWeir</c> or <c>AddWeirJobs</c> was not called (WEIR3001), or <c>MapWeirJobs</c> was called before.</exception>
    public static IEndpointConventionBuilder MapWeirJobs(this IEndpointRouteBuilder endpoints, string path = "/$jobs")
    {
        var http = Http(endpoints, path, nameof(MapWeirJobs));
        http.Serve();
        var group = endpoints.MapGroup(path);
        JobEndpoints.Map(group, http);
        return group;
    }

    /// <summary>
    /// Serves <see cref="IJobs"/> to operators: all jobs, their attempts and arguments, retries, edits, kinds and schedules. Who passes the policy of these endpoints also sees every job where <c>MapWeirJobs</c> serves
    /// it. The returned builder or its group must have a policy, roles or requirements, in every environment, and no <c>AllowAnonymous</c>: otherwise the application does not start (WEIR3025). A fallback or default policy is
    /// not enough. Call it once.
    /// </summary>
    /// <param name="endpoints">Where to map.</param>
    /// <param name="path">The path, without a parameter in it; default <c>/$jobs</c>.</param>
    /// <returns>The conventions of these endpoints: <c>RequireAuthorization("operators")</c>.</returns>
    /// <exception cref="InvalidOperationException"><c>AddWeir</c> or <c>AddWeirJobs</c> was not called (WEIR3001), or <c>MapWeirJobsAdmin</c> was called before.</exception>
    public static IEndpointConventionBuilder MapWeirJobsAdmin(this IEndpointRouteBuilder endpoints, string path = "/$jobs")
    {
        var http = Http(endpoints, path, nameof(MapWeirJobsAdmin));
        http.ServeAdmin();
        var group = endpoints.MapGroup(path);
        AdminEndpoints.Map(group, http);
        return group;
    }

    private static JobsOverHttp Http(IEndpointRouteBuilder endpoints, string path, string caller)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(path);
        if (path.Contains('{', StringComparison.Ordinal))
        {
            throw new ArgumentException($"The path of {caller} is '{path}', and it must not have a parameter: jobs are found by their id alone.", nameof(path));
        }

        var services = endpoints.ServiceProvider;
        var isService = services.GetService<IServiceProviderIsService>();
        Require(typeof(DeferredCalls), "builder.Services.AddWeir()");
        Require(typeof(JobEngine), "builder.Services.AddWeirJobs(jobs => jobs.UseSqlite(\"jobs.db\"))");
        var http = JobsOverHttp.Of(services);

        // They are built at the start, where an error in them stops it.
        services.GetRequiredService<MappedOperations>().ChecksEndpoints = true;
        return http;

        void Require(Type type, string call)
        {
            if (isService?.IsService(type) == false)
            {
                throw new InvalidOperationException($"{caller} needs {type.Name}, which is not registered; call {call} before builder.Build(). See {WeirCodes.ServiceNotRegistered}.");
            }
        }
    }
}
