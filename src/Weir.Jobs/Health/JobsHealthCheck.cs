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

        var findings = Findings(runs).ToArray();
        return Result(findings.Length == 0 ? HealthCheckResult.Healthy(data: data) : HealthCheckResult.Degraded(string.Join(' ', findings), data: data));
    }

    private IEnumerable<string> Findings(JobRun[] runs)
    {
        if (engine.Store.Warning is { } warning)
        {
            yield return warning;
        }

        var deaf = runs.Where(static run => run.IgnoresToken).ToArray();
        if (deaf.Length > 0)
        {
            yield return $"{deaf.Length} jobs were stopped and still run: {Names(deaf.Select(static run => $"{run.Record.Id} of {run.Kind}"))}.";
        }

        // Of kinds that are not paused, no count is asked for.
        if (engine.Kinds.All.Any(static kind => kind.IsPaused))
        {
            engine.Backlog.Refresh();
        }

        var paused = engine.Kinds.All.Where(static kind => kind is { IsPaused: true, Waiting.Now: > 0 }).ToArray();
        if (paused.Length > 0)
        {
            yield return $"Kinds are paused, and jobs of them wait: {Names(paused.Select(static kind => $"{kind.Name} ({kind.Waiting.Now})"))}.";
        }

        var held = engine.Kinds.All.Where(kind => kind.IsHeld(engine.Time)).ToArray();
        if (held.Length > 0)
        {
            yield return $"Jobs wait because their arguments were written by another version: {Names(held.Select(static kind => kind.Name))}.";
        }

        var failing = engine.Schedules.Declared.Select(schedule => (schedule.Name, Error: engine.Schedules.ErrorOf(schedule.Name))).Where(static schedule => schedule.Error is not null).ToArray();
        if (failing.Length > 0)
        {
            yield return $"Schedules make no jobs: {Names(failing.Select(static schedule => $"{schedule.Name} ({schedule.Error})"))}.";
        }

        if (engine.Purger.Early is > 0 and var early)
        {
            yield return $"{early} jobs were deleted before their retention was over (MaxKept, MaxKeptBytes, MaxKeptFailed).";
        }
    }

    private static string Names(IEnumerable<string> names) => string.Join(", ", names.Take(MostNamed));

    private static Task<HealthCheckResult> Result(HealthCheckResult result) => Task.FromResult(result);
}
