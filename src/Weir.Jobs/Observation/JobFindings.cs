using System.Globalization;
using Weir.Execution.Observation.Findings;
using Weir.Jobs.Diagnostics;
using Weir.Jobs.Health;
using Weir.Jobs.Running;

namespace Weir.Jobs.Observation;

/// <summary>
/// What is found in the jobs of this process: pure functions. What counts as wrong is decided by <see cref="JobsCondition"/>, as for the health check; only that jobs fail is no matter of health, and is decided here.
/// </summary>
internal static class JobFindings
{
    /// <summary>Everything that is found.</summary>
    /// <param name="condition">What a person has to look at.</param>
    /// <param name="figures">The last minute of each kind.</param>
    public static IEnumerable<Finding> Of(JobsCondition condition, IEnumerable<(JobKind Kind, KindFigures Figures)> figures)
    {
        if (condition.StoreFailure is var (what, why))
        {
            yield return Found(
                "jobStore", FindingSeverity.Failing, null, null, $"the store of jobs {what}: {why.Message}",
                $"No job is accepted or started, and what ends is not stored, until it does. Look at the disk or the server of the store, and at the connection to it. See {WeirCodes.JobStoreUnavailable}.");
        }

        foreach (var (kind, one) in figures)
        {
            if (one is { Failed: > 0, LastFailed: var (job, reason) })
            {
                yield return Found(
                    "jobsFailed", FindingSeverity.Failing, kind, kind.Name,
                    Text($"{kind.Name}: {Number(one.Failed, "job", "jobs")} failed in the last minute, the last one {job} ({reason})"),
                    $"'weir jobs show' with its id has the exception, or the crash report, of each attempt. Mend the cause, and begin the failed jobs again with 'weir jobs retry'. See {WeirCodes.JobWithoutResult}.");
            }
        }

        if (condition.Warning is { } warning)
        {
            yield return Found("jobStoreWarning", FindingSeverity.Waiting, null, null, $"the store of jobs commits, but: {warning.TrimEnd('.')}", "Jobs run, but later than they could. Look at the server of the store.");
        }

        foreach (var (kind, waiting) in condition.Paused)
        {
            yield return Found(
                "jobsPaused", FindingSeverity.Waiting, kind, kind.Name, Text($"{kind.Name} is paused, and {Number(waiting, "job of it waits", "jobs of it wait")}"),
                "None of them starts, in any process, before a person resumes the kind: 'weir jobs resume'.");
        }

        foreach (var (name, error) in condition.FailingSchedules)
        {
            yield return Found("jobSchedule", FindingSeverity.Waiting, null, name, $"the schedule {name} makes no jobs: {error.TrimEnd('.')}", "Correct its cron text or its time zone, in the code or in Weir:Jobs:Schedules, and start the process again.");
        }

        foreach (var (job, kind) in condition.IgnoringToken)
        {
            yield return Found(
                "jobIgnoresToken", FindingSeverity.Waiting, kind, job.ToString(), Text($"job {job} of {kind.Name} was stopped, and its code still runs: it ignores its token"),
                "It keeps its place, and nothing in this process can end it. Let its code observe the CancellationToken, or isolate the operation: a worker is killed after CancelGrace.");
        }

        foreach (var kind in condition.Held)
        {
            yield return Found(
                "jobArguments", FindingSeverity.Waiting, kind, kind.Name, $"jobs of {kind.Name} wait: no version that runs here understands their arguments",
                "Deploy the version that understands them: they are tried every 30 s, and fail after 10 minutes.");
        }

        if (condition.DeletedEarly > 0)
        {
            yield return Found(
                "jobsDeleted", FindingSeverity.Notice, null, null, Text($"{Number(condition.DeletedEarly, "job was", "jobs were")} deleted within the last hour, before the retention was over"),
                "More jobs are kept than MaxKept, MaxKeptBytes or MaxKeptFailed allows: raise it, or shorten Retention or FailedRetention.");
        }
    }

    private static Finding Found(string name, FindingSeverity severity, JobKind? kind, string? subject, string sentence, string toDo) =>
        new(FindingKind.Part, severity, null, kind?.Operation.FullName, subject, sentence, toDo) { Name = name };

    private static string Number(long count, string one, string many) => Text($"{count:#,0} {(count == 1 ? one : many)}");

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
