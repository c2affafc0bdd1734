using Microsoft.Extensions.Diagnostics.HealthChecks;
using Weir;
using Weir.AspNetCore.Health;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers the health check of Weir's pools and its lane.</summary>
public static class WeirHealthChecksBuilderExtensions
{
    /// <summary>
    /// Adds a check that is unhealthy while a pool cannot start workers or drains, and degraded while a queue is full, calls are
    /// rejected because they made workers fail, workers are lost in calls again and again, or the last start of a worker failed. It reads the current state: it starts no worker, calls no operation and does not wait. Its data
    /// has the figures of every pool by its name, and those of the lane.
    /// </summary>
    /// <param name="builder">The application's health checks.</param>
    /// <param name="configure">Changes the options; <c>null</c> keeps the defaults.</param>
    /// <param name="name">The name of the check.</param>
    /// <param name="failureStatus">What is reported instead of unhealthy; <c>null</c> for unhealthy.</param>
    /// <param name="tags">Tags, to choose checks by; <c>null</c> for none.</param>
    /// <exception cref="ArgumentOutOfRangeException"><see cref="WeirHealthOptions.DegradedQueueShare"/> is not above 0 and at most 1, or <see cref="WeirHealthOptions.MaxLostWorkers"/> is negative.</exception>
    public static IHealthChecksBuilder AddWeir(
        this IHealthChecksBuilder builder, Action<WeirHealthOptions>? configure = null, string name = "weir", HealthStatus? failureStatus = null, IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        var options = new WeirHealthOptions();
        configure?.Invoke(options);
        if (options.DegradedQueueShare is not (> 0 and <= 1))
        {
            throw new ArgumentOutOfRangeException(nameof(configure), options.DegradedQueueShare, $"{nameof(options.DegradedQueueShare)} is {options.DegradedQueueShare}; set it to more than 0 and at most 1.");
        }

        if (options.MaxLostWorkers < 0)
        {
            throw new ArgumentOutOfRangeException(nameof(configure), options.MaxLostWorkers, $"{nameof(options.MaxLostWorkers)} is {options.MaxLostWorkers}; set it to 0 or more, or to null for no limit.");
        }

        string[] pools = [.. options.Pools];
        var (share, mostLost) = (options.DegradedQueueShare, options.MaxLostWorkers);
        return builder.Add(new HealthCheckRegistration(
            name, services => new WeirHealthCheck(services.GetRequiredService<WeirRuntime>(), pools, share, mostLost), failureStatus, tags));
    }
}
