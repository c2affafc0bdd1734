using Weir.Jobs.Rules;

namespace Weir.Tests.Jobs.Rules;

/// <summary>The table of events and states in <c>docs/job-states.md</c>. Also compiled into the tests of stores.</summary>
internal static class JobStatesPage
{
    /// <summary>Its rows, the head first; each with its cells.</summary>
    public static string[][] Table { get; } =
    [
        .. File.ReadAllLines(Path.Combine(AppContext.BaseDirectory, "job-states.md"))
            .SkipWhile(static line => !line.StartsWith("| Event", StringComparison.Ordinal))
            .TakeWhile(static line => line.StartsWith('|'))
            .Where(static line => !line.StartsWith("|---", StringComparison.Ordinal))
            .Select(static line => line.Trim('|', ' ').Split('|', StringSplitOptions.TrimEntries)),
    ];

    /// <summary>What a cell says.</summary>
    public static string Cell(string row, string column)
    {
        var cells = Table.Single(cells => cells[0] == row);
        return cells[Array.IndexOf(Table[0], column)];
    }

    /// <summary>What a cell would say of a job after an event.</summary>
    public static string Text(JobStatus job, JobVerdict verdict)
    {
        var state = job switch
        {
            { State: JobState.Failed } => $"failed(`{job.Reason.ToString().ToLowerInvariant()}`)",
            { Stop: JobStop.Cancel } => "cancel asked",
            { Stop: JobStop.Timeout } => "timed out",
            _ => job.State.ToString().ToLowerInvariant(),
        };
        return verdict switch
        {
            JobVerdict.Applied => state,
            JobVerdict.Late => $"{state}, late",
            JobVerdict.NoChange => "no change",
            JobVerdict.Stale => "ignored",
            JobVerdict.Refused => "refused",
            JobVerdict.NewJob => "a new job",
            _ => "gone",
        };
    }
}
