using System.Diagnostics;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Resources;
using OpenTelemetry.Trace;

namespace SecureApi.Setup;

/// <summary>
/// Traces and meters, with OpenTelemetry. They are exported where the standard setting <c>OTEL_EXPORTER_OTLP_ENDPOINT</c> is in the
/// configuration or the environment.
/// </summary>
internal static class Telemetry
{
    private const string Endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT";

    /// <summary>Spans of the service's own code, in the host and in workers.</summary>
    public static readonly ActivitySource Source = new("SecureApi");

    /// <summary>In the host: requests, the calls that wait for a worker and run there, the meters of both, and the log, which has the records of workers too.</summary>
    public static void AddTelemetry(this IServiceCollection services, IConfiguration configuration)
    {
        var telemetry = services.AddOpenTelemetry()
            .ConfigureResource(static resource => resource.AddService("secure-api"))
            .WithTracing(static tracing => tracing.AddAspNetCoreInstrumentation().AddSource("Weir", Source.Name))
            .WithMetrics(static metrics => metrics.AddAspNetCoreInstrumentation().AddMeter("Weir"));
        if (configuration[Endpoint] is not null)
        {
            telemetry.UseOtlpExporter();
        }
    }

    /// <summary>In a worker: the spans of its calls, below those of the host. Its log records travel to the host's log.</summary>
    public static void AddWorkerTelemetry(this IServiceCollection services, IConfiguration configuration) => services.AddOpenTelemetry()
        .ConfigureResource(static resource => resource.AddService("secure-api-worker"))
        .WithTracing(tracing =>
        {
            tracing.AddSource("Weir", Source.Name);
            if (configuration[Endpoint] is not null)
            {
                tracing.AddOtlpExporter();
            }
        });
}
