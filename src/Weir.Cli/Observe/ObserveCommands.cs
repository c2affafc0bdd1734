using System.CommandLine;
using Weir.Cli.Terminal;

namespace Weir.Cli.Observe;

/// <summary><c>weir ps</c>, <c>weir top</c>, <c>weir events</c> and <c>weir report</c>.</summary>
internal static class ObserveCommands
{
    private const string Needs = "needs app.MapWeirDashboard() in the application, and what its policy asks for, such as --header 'Authorization: Bearer …'.";

    private const string HelpOfPs = $"""
        Shows what is wrong in an application, its pools, the calls that run, its operations and the last workers that failed: weir ps http://localhost:5000

        It {Needs}

        Exit code 0: it was shown; 1: the server refused it or cannot be reached; 2: an input is wrong; 130: Ctrl-C. With --check also 3: calls fail now.
        """;

    private const string HelpOfTop = $"""
        Shows the same as 'weir ps', again and again until Ctrl-C or q; to a file or a pipe it is printed each time. It {Needs}

        Keys: {TopView.Keys}.
        """;

    private const string HelpOfEvents = $"""
        Prints a line when something becomes wrong, and when it is over, and one for each start and end of a worker, until Ctrl-C. A connection that is lost is made again. It {Needs}
        """;

    private const string HelpOfReport = $"""
        Shows a crash report by the id that a log line or the member 'report' of a 502 names: why the worker ended, what it ran, and all that it printed. Without an id the reports that are kept. It {Needs}
        """;

    /// <summary>All of them.</summary>
    public static IEnumerable<Command> Create(CommandConsole console) => [Ps(console), Top(console), Events(console), Report(console)];

    private static Command Ps(CommandConsole console)
    {
        var options = new DashboardOptions();
        var json = new Option<bool>("--json") { Description = "Prints the record that the server sent." };
        var check = new Option<bool>("--check") { Description = "For scripts: exit code 3 while calls fail, and on standard error why." };
        var explain = new Option<bool>("--explain") { Description = "Prints below it the page of each code that a finding names: what happened, and what to do." };
        var command = options.Create("ps", HelpOfPs, json, check, explain);
        command.SetAction((parsed, cancellationToken) => DashboardSession.RunAsync(
            options.Of(parsed), console, session => new Ps(session, console).RunAsync(parsed.GetValue(json), parsed.GetValue(check), parsed.GetValue(explain), cancellationToken)));
        return command;
    }

    private static Command Top(CommandConsole console)
    {
        var options = new DashboardOptions();
        var interval = OptionTypes.Time("--interval", "How often; 1s if it is not given.", 1);
        var count = OptionTypes.Number("--count", "How often in all; until Ctrl-C if it is not given.", 1, 1_000_000);
        var command = options.Create("top", HelpOfTop, interval, count);
        command.SetAction((parsed, cancellationToken) => DashboardSession.RunAsync(
            options.Of(parsed), console, session => new Top(session, console).RunAsync(parsed.GetValue(interval) ?? TimeSpan.FromSeconds(1), parsed.GetValue(count), cancellationToken)));
        return command;
    }

    private static Command Events(CommandConsole console)
    {
        var options = new DashboardOptions();
        var json = new Option<bool>("--json") { Description = "Prints the events of workers as the server sent them, one in a line." };
        var command = options.Create("events", HelpOfEvents, json);
        command.SetAction((parsed, cancellationToken) => DashboardSession.RunAsync(
            options.Of(parsed), console, session => new Events(session, console).RunAsync(parsed.GetValue(json), cancellationToken)));
        return command;
    }

    private static Command Report(CommandConsole console)
    {
        var options = new DashboardOptions();
        var id = new Argument<string?>("ID") { Description = "The report's id.", Arity = ArgumentArity.ZeroOrOne };
        var json = new Option<bool>("--json") { Description = "Prints what the server sent." };
        var command = options.Create("report", HelpOfReport, id, json);
        command.SetAction((parsed, cancellationToken) => DashboardSession.RunAsync(
            options.Of(parsed), console, session => new Report(session, console).RunAsync(parsed.GetValue(id), parsed.GetValue(json), cancellationToken)));
        return command;
    }
}
