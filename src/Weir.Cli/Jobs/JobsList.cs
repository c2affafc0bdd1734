using System.Globalization;
using System.Text;
using System.Text.Json;
using Spectre.Console;
using Weir.Cli.Answers;
using Weir.Cli.Terminal;

namespace Weir.Cli.Jobs;

/// <summary><c>weir jobs list</c> and <c>weir jobs schedules</c>.</summary>
internal sealed class JobsList(JobsSession session, bool isJson, CommandConsole console)
{
    private readonly AnswerPrinter _printer = new(isJson, AnswerPrinter.DefaultMostBytes, console);

    /// <summary>Prints jobs, newest first, page by page.</summary>
    /// <returns>The exit code.</returns>
    /// <exception cref="JobsException">The server cannot be reached, or answers with something else.</exception>
    public async Task<int> JobsAsync(JobsQuery query, CancellationToken cancellationToken)
    {
        // Bounded by --limit.
        var jobs = new List<JobView>();
        var (before, left, hasWritten) = ((Guid?)null, query.Limit, false);
        while (true)
        {
            var answer = await session.SendAsync(HttpMethod.Get, query.Page(before, left), cancellationToken);
            if (!answer.IsSuccess)
            {
                return await session.RefuseAsync(answer, "MapWeirJobsAdmin", _printer, isOfJob: false);
            }

            var json = JsonMembers.Parse(answer.Text) ?? default;
            var page = JsonMembers.List(json, "jobs") ?? throw new JobsException($"{answer.Address} answered with what is no list of jobs.");
            before = Guid.TryParseExact(JsonMembers.Text(json, "before"), "D", out var next) && page.Count > 0 ? next : null;
            left -= page.Count;
            var isLast = before is null || left <= 0;
            if (isJson)
            {
                await WriteAsync(answer, page, isFirst: !hasWritten, isLast, before, cancellationToken);
                hasWritten = true;
            }
            else
            {
                jobs.AddRange(page.Select(static one => JobView.Read(one)).OfType<JobView>());
            }

            if (isLast)
            {
                return isJson ? ExitCodes.Success : await PrintAsync(jobs, before);
            }
        }
    }

    /// <summary>Prints all schedules.</summary>
    /// <returns>The exit code.</returns>
    /// <exception cref="JobsException">The server cannot be reached, or answers with something else.</exception>
    public async Task<int> SchedulesAsync(CancellationToken cancellationToken)
    {
        var answer = await session.SendAsync(HttpMethod.Get, "/schedules", cancellationToken);
        if (!answer.IsSuccess)
        {
            return await session.RefuseAsync(answer, "MapWeirJobsAdmin", _printer, isOfJob: false);
        }

        var schedules = JsonMembers.List(JsonMembers.Parse(answer.Text) ?? default, "schedules") ?? throw new JobsException($"{answer.Address} answered with what is no list of schedules.");
        if (isJson)
        {
            return await _printer.PrintJsonAsync("schedules", answer.Text);
        }

        if (schedules.Count == 0)
        {
            await console.Error.WriteLineAsync("weir: there are no schedules.");
            return ExitCodes.Success;
        }

        var table = JobTables.Create("name", "kind", "cron", "time zone", "source", "next", "last", "state");
        foreach (var schedule in schedules)
        {
            table.AddRow(JobTables.Row(
            [
                JsonMembers.Text(schedule, "name"), JsonMembers.Text(schedule, "kind"), JsonMembers.Text(schedule, "cron"), JsonMembers.Text(schedule, "timeZone"), JsonMembers.Text(schedule, "source"),
                JobView.Time(JsonMembers.Text(schedule, "next")), JobView.Time(JsonMembers.Text(schedule, "lastDue")), StateOf(schedule),
            ]));
        }

        console.OutputDisplay().Write(table);
        return ExitCodes.Success;
    }

    private static string StateOf(JsonElement schedule) => string.Join(", ", new[]
    {
        JsonMembers.IsTrue(schedule, "isPaused") ? "paused" : null,
        JsonMembers.IsTrue(schedule, "isDeclared") ? null : "not declared any more",
        JsonMembers.Text(schedule, "error"),
    }.OfType<string>().DefaultIfEmpty("active"));

    // One page is printed as it was sent; of several the lists are joined.
    private async Task WriteAsync(JobsAnswer answer, IReadOnlyList<JsonElement> page, bool isFirst, bool isLast, Guid? before, CancellationToken cancellationToken)
    {
        if (isFirst && isLast)
        {
            await _printer.PrintJsonAsync("jobs", answer.Text);
            return;
        }

        var text = new StringBuilder(isFirst ? "{\"jobs\":[" : ",").AppendJoin(',', page.Select(static one => one.GetRawText()));
        if (isLast)
        {
            text.Append(CultureInfo.InvariantCulture, $"],\"before\":{(before is { } id ? $"\"{id:D}\"" : "null")}}}\n");
        }

        await console.Out.WriteAsync(text.ToString().AsMemory(), cancellationToken);
    }

    private async Task<int> PrintAsync(List<JobView> jobs, Guid? before)
    {
        if (jobs.Count == 0)
        {
            await console.Error.WriteLineAsync("weir: there are no such jobs.");
            return ExitCodes.Success;
        }

        var table = JobTables.Create("id", "kind", "state", "attempt", "submitted", "progress", "key");
        foreach (var job in jobs)
        {
            table.AddRow(JobTables.Row([job.Id.ToString("D"), job.Kind, job.StateText, job.AttemptText, JobView.Time(job.Submitted), job.Progress, job.Key]));
        }

        console.OutputDisplay().Write(table);
        if (before is { } next)
        {
            await console.Error.WriteLineAsync($"weir: there may be more; give --limit, or --before {next:D}.");
        }

        return ExitCodes.Success;
    }
}
