using System.CommandLine;
using Weir.Cli.Answers;
using Weir.Cli.Terminal;

namespace Weir.Cli.Jobs;

/// <summary><c>weir jobs</c>.</summary>
internal static class JobsCommand
{
    private const string Help = """
        Lists, watches and changes the jobs of a running application: weir jobs list http://localhost:5000

        show, wait and cancel need app.MapWeirJobs(), the others app.MapWeirJobsAdmin() and what its policy asks for, such as --header 'Authorization: Bearer …'.

        Exit code 0: it was done; 1: the server refused it, cannot be reached, or its answer cannot be read; 2: an input is wrong; 130: Ctrl-C. Of wait also 3: the job ended without
        success; 4: it has not ended within --timeout.
        """;

    private const string HelpOfWait = """
        Waits for a job, and prints its result as 'weir call' prints one, or its items as they come. Its progress is shown on standard error. Ctrl-C stops the waiting, and not the job.

        Exit code 0: the job succeeded; 1: the server refused it, cannot be reached, or its answer cannot be read; 2: an input is wrong; 3: the job ended without success: it failed, was
        cancelled, or was not started in time; 4: it has not ended within --timeout; 130: Ctrl-C.
        """;

    public static Command Create(CommandConsole console) => new("jobs", Help)
    {
        List(console),
        Show(console),
        Wait(console),
        OfJob("cancel", "Cancels a job: at once if it has not started, otherwise its operation is asked to stop.", console, static (change, id, cancellationToken) => change.CancelAsync(id, cancellationToken)),
        Retry(console),
        OfName("pause", "KIND", "Starts no job of a kind any more, in any process, until it is resumed. Those that run continue.", console, static (change, kind, cancellationToken) => change.KindAsync(kind, "pause", cancellationToken)),
        OfName("resume", "KIND", "Starts jobs of a kind again.", console, static (change, kind, cancellationToken) => change.KindAsync(kind, "resume", cancellationToken)),
        Schedules(console),
        OfJob("purge", "Deletes a job that has ended, with its result and its items.", console, static (change, id, cancellationToken) => change.PurgeAsync(id, cancellationToken)),
    };

    private static Command List(CommandConsole console)
    {
        var options = new JobsOptions();
        var kind = new Option<string?>("--kind") { Description = "Of this kind only: Service/Operation, unless [Job] names it.", HelpName = "KIND" };
        var state = new Option<string?>("--state") { Description = $"In this state only: {string.Join(", ", JobView.States)}.", HelpName = "STATE" };
        var key = new Option<string?>("--key") { Description = "With this key only: the value of the parameter that [Job(Key = …)] names.", HelpName = "KEY" };
        var before = new Option<string?>("--before") { Description = "Submitted before this job only.", HelpName = "ID" };
        var limit = OptionTypes.Number("--limit", $"At most so many; {JobsQuery.DefaultLimit} if it is not given.", 1, 100_000);
        var command = options.Create("list", "Lists jobs, newest first.", kind, state, key, before, limit);
        command.SetAction((parsed, cancellationToken) =>
        {
            var settings = options.Of(parsed);
            var query = new JobsQuery
            {
                Kind = parsed.GetValue(kind),
                State = parsed.GetValue(state) is { } typed ? JobsQuery.StateOf(typed) : null,
                Key = parsed.GetValue(key),
                Before = parsed.GetValue(before) is { } id ? JobsOptions.IdOf("--before", id) : null,
                Limit = parsed.GetValue(limit) ?? JobsQuery.DefaultLimit,
            };
            return JobsSession.RunAsync(settings, console, session => new JobsList(session, settings.IsJson, console).JobsAsync(query, cancellationToken));
        });
        return command;
    }

    private static Command Show(CommandConsole console)
    {
        var options = new JobsOptions();
        var id = JobsOptions.Id();
        var arguments = new Option<bool>("--arguments") { Description = "Prints its arguments instead: what 'weir jobs retry --edit' takes." };
        var command = options.Create("show", "Shows a job with its progress and its problem, and its attempts with exceptions and crash reports where the caller may see them.", id, arguments);
        command.SetAction((parsed, cancellationToken) =>
        {
            var (settings, job) = (options.Of(parsed), JobsOptions.IdOf("ID", parsed.GetRequiredValue(id)));
            return JobsSession.RunAsync(settings, console, session => new JobsShow(session, settings.IsJson, console) is var show && parsed.GetValue(arguments)
                ? show.ArgumentsAsync(job, cancellationToken)
                : show.JobAsync(job, cancellationToken));
        });
        return command;
    }

    private static Command Wait(CommandConsole console)
    {
        var options = new JobsOptions();
        var id = JobsOptions.Id();
        var timeout = OptionTypes.Time("--timeout", "For how long at most; without a limit if it is not given.", 24 * 30);
        var stream = new Option<bool>("--stream") { Description = "Prints each item in a line as soon as it comes; without it items are printed in this way on a terminal, and as one JSON array elsewhere." };
        var most = OptionTypes.Number("--max-bytes", $"The most bytes of a JSON result that is printed readably, and of an item; {AnswerPrinter.DefaultMostBytes} if it is not given.", 1, 1024 * 1024 * 1024);
        var command = options.Create("wait", HelpOfWait, id, timeout, stream, most);
        command.SetAction((parsed, cancellationToken) =>
        {
            var (settings, job) = (options.Of(parsed), JobsOptions.IdOf("ID", parsed.GetRequiredValue(id)));
            var form = new JobResultForm
            {
                IsLines = parsed.GetValue(stream) || console.IsOutputTerminal,
                IsJson = settings.IsJson,
                MostBytes = parsed.GetValue(most) ?? AnswerPrinter.DefaultMostBytes,
                HasHeaders = settings.Headers.Count > 0,
            };
            return JobsSession.RunAsync(settings, console, session => new JobWait(session, job, form, console).RunAsync(known: null, parsed.GetValue(timeout), cancellationToken));
        });
        return command;
    }

    private static Command Retry(CommandConsole console)
    {
        var options = new JobsOptions();
        var id = JobsOptions.Id();
        var edit = new Option<string?>("--edit") { Description = "A file with the arguments as a JSON object, which replace those of the job; '-' is standard input.", HelpName = "FILE" };
        var command = options.Create("retry", "Runs a job that ended without success again; of one that succeeded a new job is made. Arguments that do not bind are named, all of them.", id, edit);
        command.SetAction((parsed, cancellationToken) =>
        {
            var (settings, job) = (options.Of(parsed), JobsOptions.IdOf("ID", parsed.GetRequiredValue(id)));
            return JobsSession.RunAsync(settings, console, session => new JobsChange(session, settings.IsJson, console).RetryAsync(job, parsed.GetValue(edit), cancellationToken));
        });
        return command;
    }

    private static Command Schedules(CommandConsole console)
    {
        var options = new JobsOptions();
        var command = options.Create("schedules", "Lists the schedules, by which the application submits jobs: weir jobs schedules http://localhost:5000");
        command.SetAction((parsed, cancellationToken) =>
        {
            var settings = options.Of(parsed);
            return JobsSession.RunAsync(settings, console, session => new JobsList(session, settings.IsJson, console).SchedulesAsync(cancellationToken));
        });
        command.Add(OfName("pause", "NAME", "Submits no job by a schedule any more, until it is resumed.", console, static (change, name, cancellationToken) => change.ScheduleAsync(name, "pause", cancellationToken)));
        command.Add(OfName("resume", "NAME", "Submits jobs by a schedule again.", console, static (change, name, cancellationToken) => change.ScheduleAsync(name, "resume", cancellationToken)));
        command.Add(OfName("run", "NAME", "Submits a job of a schedule now.", console, static (change, name, cancellationToken) => change.ScheduleAsync(name, "run", cancellationToken)));
        return command;
    }

    private static Command OfJob(string name, string help, CommandConsole console, Func<JobsChange, Guid, CancellationToken, Task<int>> run)
    {
        var options = new JobsOptions();
        var id = JobsOptions.Id();
        var command = options.Create(name, help, id);
        command.SetAction((parsed, cancellationToken) =>
        {
            var (settings, job) = (options.Of(parsed), JobsOptions.IdOf("ID", parsed.GetRequiredValue(id)));
            return JobsSession.RunAsync(settings, console, session => run(new JobsChange(session, settings.IsJson, console), job, cancellationToken));
        });
        return command;
    }

    private static Command OfName(string name, string argument, string help, CommandConsole console, Func<JobsChange, string, CancellationToken, Task<int>> run)
    {
        var options = new JobsOptions();
        var value = new Argument<string>(argument) { Description = argument == "KIND" ? "The kind: Service/Operation, unless [Job] names it." : "The schedule's name." };
        var command = options.Create(name, help, value);
        command.SetAction((parsed, cancellationToken) =>
        {
            var settings = options.Of(parsed);
            return JobsSession.RunAsync(settings, console, session => run(new JobsChange(session, settings.IsJson, console), parsed.GetRequiredValue(value), cancellationToken));
        });
        return command;
    }
}
