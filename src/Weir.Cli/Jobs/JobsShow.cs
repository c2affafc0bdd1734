using System.Globalization;
using System.Text.Json;
using Spectre.Console;
using Weir.Cli.Answers;
using Weir.Cli.Terminal;

namespace Weir.Cli.Jobs;

/// <summary><c>weir jobs show</c>.</summary>
internal sealed class JobsShow(JobsSession session, bool isJson, CommandConsole console)
{
    // What a person reads of a stack trace or a report.
    private const int MostText = 100_000;

    private readonly AnswerPrinter _printer = new(isJson, AnswerPrinter.DefaultMostBytes, console);

    /// <summary>Prints a job, and its attempts where the server shows them to this caller.</summary>
    /// <returns>The exit code.</returns>
    /// <exception cref="JobsException">The server cannot be reached, or answers with something else.</exception>
    public async Task<int> JobAsync(Guid id, CancellationToken cancellationToken)
    {
        var answer = await session.SendAsync(HttpMethod.Get, $"/{id:D}", cancellationToken);
        if (!answer.IsSuccess)
        {
            return await session.RefuseAsync(answer, "MapWeirJobs", _printer);
        }

        var job = answer.Job();
        if (isJson)
        {
            return await _printer.PrintJsonAsync("job", answer.Text);
        }

        await PrintAsync(job, answer.Address);
        var attempts = await session.SendAsync(HttpMethod.Get, $"/{id:D}/attempts", cancellationToken);
        if (attempts.Status is 401 or 403 or 404 or 405)
        {
            return ExitCodes.Success;
        }

        if (!attempts.IsSuccess)
        {
            return await session.RefuseAsync(attempts, "MapWeirJobsAdmin", _printer);
        }

        foreach (var attempt in JsonMembers.List(JsonMembers.Parse(attempts.Text) ?? default, "attempts") ?? [])
        {
            await PrintAsync(attempt);
        }

        return ExitCodes.Success;
    }

    /// <summary>Prints the arguments of a job.</summary>
    /// <returns>The exit code.</returns>
    /// <exception cref="JobsException">The server cannot be reached.</exception>
    public async Task<int> ArgumentsAsync(Guid id, CancellationToken cancellationToken)
    {
        var answer = await session.SendAsync(HttpMethod.Get, $"/{id:D}/arguments", cancellationToken);
        return answer.IsSuccess ? await _printer.PrintJsonAsync("arguments", answer.Text) : await session.RefuseAsync(answer, "MapWeirJobsAdmin", _printer);
    }

    private async Task PrintAsync(JobView job, Uri address)
    {
        var table = JobTables.Create("name", "value").HideHeaders();
        Add("id", job.Id.ToString("D"));
        Add("kind", job.Kind);
        Add("state", job.StateText);
        Add("attempt", job.AttemptText);
        Add("submitted", JobView.Time(job.Submitted));
        Add("due", JobView.Time(job.Due));
        Add("started", JobView.Time(job.Started));
        Add("ended", JobView.Time(job.Ended));
        Add("expires", JobView.Time(job.Expires));
        Add("progress", job.Progress);
        Add("key", job.Key);
        Add("priority", job.Priority);
        Add("parent", job.Parent);
        Add("url", address.ToString());
        console.OutputDisplay().Write(table);
        if (job.Problem is { } problem)
        {
            await WriteAsync($"problem: {Joined([JsonMembers.Number(problem, "status")?.ToString(CultureInfo.InvariantCulture), JsonMembers.Text(problem, "code"), JsonMembers.Text(problem, "title"), JsonMembers.Text(problem, "detail")])}");
        }

        void Add(string name, string? value)
        {
            if (value is { Length: > 0 })
            {
                table.AddRow(JobTables.Row([name, value]));
            }
        }
    }

    private async Task PrintAsync(JsonElement attempt)
    {
        var (started, ended) = (JobView.Time(JsonMembers.Text(attempt, "started")), JobView.Time(JsonMembers.Text(attempt, "ended")));
        await WriteAsync("");
        await WriteAsync(string.Create(
            CultureInfo.InvariantCulture,
            $"attempt with fence {JsonMembers.Number(attempt, "fence")}: {JsonMembers.Text(attempt, "outcome")}, {started}{(ended.Length > 0 && ended != started ? $" to {ended}" : "")}"));
        if (Joined([JsonMembers.Text(attempt, "exceptionType"), JsonMembers.Text(attempt, "message")]) is { Length: > 0 } exception)
        {
            await WriteAsync(exception);
        }

        if (JsonMembers.Text(attempt, "stackTrace") is { } trace)
        {
            await WriteAsync(trace.TrimEnd());
        }

        if (JsonMembers.Object(attempt, "arguments") is { } arguments)
        {
            await WriteAsync($"arguments before: {arguments.GetRawText()}");
        }

        if (JsonMembers.Text(attempt, "reportId") is { } reportId)
        {
            await WriteAsync($"crash report {reportId}");
        }

        if (JsonMembers.Text(attempt, "report") is { } report)
        {
            await WriteAsync(report.TrimEnd());
        }
    }

    private static string Joined(IEnumerable<string?> parts) => string.Join(": ", parts.Where(static part => part is { Length: > 0 }));

    private Task WriteAsync(string text) => console.Out.WriteLineAsync(SafeText.Of(SafeText.Cut(text, MostText), keepsLines: true));
}
