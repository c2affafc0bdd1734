using Microsoft.Extensions.Diagnostics.HealthChecks;
using Weir.Jobs.Running;

namespace Weir.Jobs.Health;

/// <summary>
/// Reports whether the store commits, and what a person has to look at: code that ignores its token, kinds that are paused while jobs of them wait, arguments that no version here understands, schedules that cannot be
/// computed, jobs that were deleted early, and what the store warns of. Reads the current state only.
/// </summary>
/// <param name="engine">The jobs.</param>
internal sealed class JobsHealthCheck(JobEngine engine) : IHealthCheck
{
    private const int MostNamed = 5;

    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        // Of kinds that are not paused, no count is asked for.
        if (engine.Kinds.All.Any(static kind => kind.IsPaused))
        {
            engine.Backlog.Refresh();
        }

        var condition = JobsCondition.Of(engine);
        var data = new Dictionary<string, object> { ["store"] = engine.Store.Description, ["running"] = condition.Running };
        if (condition.StoreFailure is var (what, why))
        {
            return Result(new HealthCheckResult(context.Registration.FailureStatus, $"The store of jobs {what}: {why.Message}", why, data));
        }

        var findings = Findings(condition).ToArray();
        return Result(findings.Length == 0 ? HealthCheckResult.Healthy(data: data) : HealthCheckResult.Degraded(string.Join(' ', findings), data: data));
    }

    private static IEnumerable<string> Findings(JobsCondition condition)
    {
        if (condition.Warning is { } warning)
        {
            yield return warning;
        }

        if (condition.IgnoringToken.Count > 0)
        {
            yield return $"{condition.IgnoringToken.Count} jobs were stopped and still run: {Names(condition.IgnoringToken.Select(static run => $"{run.Job} of {run.Kind}"))}.";
        }

        if (condition.Paused.Count > 0)
        {
            yield return $"Kinds are paused, and jobs of them wait: {Names(condition.Paused.Select(static paused => $"{paused.Kind} ({paused.Waiting})"))}.";
        }

        if (condition.Held.Count > 0)
        {
            yield return $"Jobs wait because their arguments were written by another version: {Names(condition.Held.Select(static kind => kind.Name))}.";
        }

        if (condition.FailingSchedules.Count > 0)
        {
            yield return $"Schedules make no jobs: {Names(condition.FailingSchedules.Select(static schedule => $"{schedule.Name} ({schedule.Error})"))}.";
        }

        if (condition.DeletedEarly > 0)
        {
            yield return $"{condition.DeletedEarly} jobs were deleted before their retention was over (MaxKept, MaxKeptBytes, MaxKeptFailed).";
        }
    }

    private static string Names(IEnumerable<string> names) => string.Join(", ", names.Take(MostNamed));

    private static Task<HealthCheckResult> Result(HealthCheckResult result) => Task.FromResult(result);
}
