using Microsoft.Extensions.Diagnostics.HealthChecks;
using Weir.Jobs.Health;
using Weir.Jobs.Running;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers the health check of jobs.</summary>
public static class WeirJobsHealthChecksBuilderExtensions
{
    /// <summary>
    /// Adds a check that is unhealthy while the store of jobs does not commit. It is degraded while a job in this process runs 10 s after its token fired, because it keeps its place; while a kind is paused and jobs of it
    /// wait; while jobs wait for a version that understands their arguments; while a schedule cannot be computed; and for an hour after jobs were deleted before their retention was over. It reads the current state and
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
