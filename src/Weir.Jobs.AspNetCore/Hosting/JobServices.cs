using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Weir.AspNetCore.Responses;
using Weir.Jobs.Running;

namespace Weir.Jobs.AspNetCore.Hosting;

/// <summary>What the endpoints of jobs need of the application: taken at the first request, because endpoints are mapped before services are made. Used concurrently.</summary>
/// <param name="services">The application's services.</param>
internal sealed class JobServices(IServiceProvider services)
{
    private readonly Lazy<EndpointServices> _shared = new(services.GetRequiredService<EndpointServices>);
    private readonly Lazy<JobEngine> _engine = new(services.GetRequiredService<JobEngine>);
    private readonly Lazy<StoredJobs> _jobs = new(services.GetRequiredService<StoredJobs>);

    /// <summary>The application's services.</summary>
    public IServiceProvider Services => services;

    /// <summary>What the endpoints of operations share.</summary>
    public EndpointServices Shared => _shared.Value;

    public JobEngine Engine => _engine.Value;

    public StoredJobs Jobs => _jobs.Value;

    /// <summary>Where a job is, before its id and without the path base: <c>/$jobs/</c>. Set when its endpoint is built, and the usual place where only the admin endpoints are mapped.</summary>
    public string Path { get; set; } = "/$jobs/";

    /// <summary>Where a job is, for links.</summary>
    public string AddressOf(HttpContext http, Guid id) => $"{http.Request.PathBase.ToUriComponent()}{Path}{id:D}";
}
