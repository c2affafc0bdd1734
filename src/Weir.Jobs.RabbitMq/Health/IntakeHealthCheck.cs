using Microsoft.Extensions.Diagnostics.HealthChecks;
using Weir.Jobs.RabbitMq.Intakes;

namespace Weir.Jobs.RabbitMq.Health;

/// <summary>Reports queues whose messages are not taken, and why. Reads the current state only.</summary>
/// <param name="intakes">One for each queue.</param>
internal sealed class IntakeHealthCheck(IntakeSet intakes) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        var data = new Dictionary<string, object>();
        foreach (var intake in intakes.All)
        {
            data[intake.Queue] = intake.State.IsConnected ? "connected" : "not connected";
        }

        var findings = intakes.All.Select(static intake => intake.Finding).Where(static finding => finding is not null).ToArray();
        return Task.FromResult(findings.Length == 0 ? HealthCheckResult.Healthy(data: data) : new HealthCheckResult(context.Registration.FailureStatus, string.Join(' ', findings), data: data));
    }
}
