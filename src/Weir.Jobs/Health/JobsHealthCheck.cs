using Microsoft.Extensions.Diagnostics.HealthChecks;
using Weir.Jobs.Running;

namespace Weir.Jobs.Health;

/// <summary>Reports whether the store commits, and jobs whose code ignores its token. Reads the current state only.</summary>
/// <param name="engine">The jobs.</param>
internal sealed class JobsHealthCheck(JobEngine engine) : IHealthCheck
{
    private const int MostNamed = 5;

    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        var runs = engine.Runner.Runs.ToArray();
        var data = new Dictionary<string, object> { ["store"] = engine.Store.Description, ["running"] = runs.Length };
        if (engine.WhenOpen is { IsFaulted: true, Exception.InnerException: { } closed })
        {
            return Result(new HealthCheckResult(context.Registration.FailureStatus, $"The store of jobs is not open: {closed.Message}", closed, data));
        }

        if (engine.Scheduler.Failure is { } failure)
        {
            return Result(new HealthCheckResult(context.Registration.FailureStatus, $"The store of jobs does not commit: {failure.Message}", failure, data));
        }

        var deaf = runs.Where(static run => run.IgnoresToken).ToArray();
        return Result(deaf.Length == 0
            ? HealthCheckResult.Healthy(data: data)
            : HealthCheckResult.Degraded($"{deaf.Length} jobs were stopped and still run: {string.Join(", ", deaf.Take(MostNamed).Select(static run => $"{run.Record.Id} of {run.Kind}"))}", data: data));
    }

    private static Task<HealthCheckResult> Result(HealthCheckResult result) => Task.FromResult(result);
}
