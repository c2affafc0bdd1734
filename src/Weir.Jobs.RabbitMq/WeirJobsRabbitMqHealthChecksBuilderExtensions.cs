using Microsoft.Extensions.Diagnostics.HealthChecks;
using Weir.Jobs.RabbitMq.Health;
using Weir.Jobs.RabbitMq.Intakes;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers the health check of intakes from RabbitMQ.</summary>
public static class WeirJobsRabbitMqHealthChecksBuilderExtensions
{
    /// <summary>
    /// Adds a check that is degraded while the messages of a queue are not taken: the broker cannot be reached, the queue or the exchange of dead letters is missing, the store of jobs accepts none, or dead letters cannot be published. It reads the current state and does not wait.
    /// <c>AddWeirJobsRabbitMq</c> on the services comes with it.
    /// </summary>
    /// <param name="builder">The application's health checks.</param>
    /// <param name="name">The name of the check.</param>
    /// <param name="failureStatus">What is reported; <c>null</c> for degraded.</param>
    /// <param name="tags">Tags, to choose checks by; <c>null</c> for none.</param>
    public static IHealthChecksBuilder AddWeirJobsRabbitMq(this IHealthChecksBuilder builder, string name = "weir-jobs-rabbitmq", HealthStatus? failureStatus = null, IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.Add(new HealthCheckRegistration(name, static services => new IntakeHealthCheck(services.GetRequiredService<IntakeSet>()), failureStatus ?? HealthStatus.Degraded, tags));
    }
}
