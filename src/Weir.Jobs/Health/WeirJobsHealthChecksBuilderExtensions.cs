using Microsoft.Extensions.Diagnostics.HealthChecks;
using Weir.Jobs.Health;
using Weir.Jobs.Running;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers the health check of jobs.</summary>
public static class WeirJobsHealthChecksBuilderExtensions
{
    /// <summary>
    /// Adds a check that is unhealthy while the store of jobs does not commit, and degraded while a job in this process runs 10 s after its token fired: it keeps its place. It reads the current state and
    /// does not wait. <c>AddWeirJobs</c> on the services comes with it.
    /// </summary>
    /// <param name="builder">The application's health checks.</param>
    /// <param name="name">The name of the check.</param>
    /// <param name="failureStatus">What is reported instead of unhealthy; <c>null</c> for unhealthy.</param>
    /// <param name="tags">Tags, to choose checks by; <c>null</c> for none.</param>
    public static IHealthChecksBuilder AddWeirJobs(this IHealthChecksBuilder builder, string name = "weir-jobs", HealthStatus? failureStatus = null, IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.Add(new HealthCheckRegistration(name, static services => new JobsHealthCheck(services.GetRequiredService<JobEngine>()), failureStatus, tags));
    }
}
