using System.CommandLine;
using System.Text.Json;
using Weir.Cli.Observe;
using Weir.Cli.Terminal;

namespace Weir.Cli.Operate;

/// <summary><c>weir cancel</c>, <c>pause</c>, <c>resume</c>, <c>drain</c>, <c>reload</c>, <c>replace</c> and <c>kill</c>.</summary>
internal static class OperateCommands
{
    private const string Needs = "needs app.MapWeirDashboard() with an ActionPolicy in the application, and what its policies ask for, such as --header 'Authorization: Bearer …'. Exit code 1: nothing was done, and the line on standard error says why.";

    /// <summary>All of them.</summary>
    public static IEnumerable<Command> Create(CommandConsole console) =>
    [
        OfCall(console),
        OfPool(console, "pause", "Lets the calls of a pool wait, until 'weir resume'; what runs continues"),
        OfPool(console, "resume", "Gives the waiting calls of a paused pool to its workers"),
        OfPool(console, "drain", "Lets a pool accept no more calls, complete those that it has, and end its workers, until the application is started again"),
        OfPool(console, "reload", "Replaces all workers of a pool, one after the other, without a failed call"),
        OfWorker(console, "replace", "Replaces one worker when its calls have ended, without a failed call"),
        OfWorker(console, "kill", "Kills one worker at once: the calls that it runs are lost"),
    ];

    private static Command OfCall(CommandConsole console)
    {
        var (options, call) = (new DashboardOptions(), new Argument<string>("CALL") { Description = "The call, as 'weir ps' shows it: its digits, with or without '#'." });
        var command = options.Create("cancel", Help("cancel", "Cancels a call that runs or waits: over HTTP its caller is cut off, and code in a worker that ignores it is killed after CancelGrace", "8192"), call);
        command.SetAction((parsed, cancellationToken) => DashboardSession.RunAsync(
            options.Of(parsed), console, session => new OperatorAction(session, console).RunAsync("cancel", json => json.WriteString("call", parsed.GetRequiredValue(call)), cancellationToken)));
        return command;
    }

    private static Command OfPool(CommandConsole console, string verb, string what)
    {
        var (options, pool) = (new DashboardOptions(), Pool());
        var command = options.Create(verb, Help(verb, what, "hashing"), pool);
        command.SetAction((parsed, cancellationToken) => DashboardSession.RunAsync(
            options.Of(parsed), console, session => new OperatorAction(session, console).RunAsync(verb, json => json.WriteString("pool", parsed.GetRequiredValue(pool)), cancellationToken)));
        return command;
    }

    private static Command OfWorker(CommandConsole console, string verb, string what)
    {
        var (options, pool) = (new DashboardOptions(), Pool());
        var process = new Argument<int>("PID") { Description = "The worker's process id, as 'weir ps' shows it." };
        var serial = OptionTypes.Number("--serial", "Which of the pool's processes it is, as 'weir events' shows it: nothing is done where another worker has got that process id since.", 1, int.MaxValue);
        var command = options.Create(verb, Help(verb, what, "hashing 5101"), pool, process, serial);
        command.SetAction((parsed, cancellationToken) => DashboardSession.RunAsync(
            options.Of(parsed), console, session => new OperatorAction(session, console).RunAsync(verb, json => Write(json, parsed), cancellationToken)));
        return command;

        void Write(Utf8JsonWriter json, ParseResult parsed)
        {
            json.WriteString("pool", parsed.GetRequiredValue(pool));
            json.WriteNumber("pid", parsed.GetRequiredValue(process));
            if (parsed.GetValue(serial) is { } number)
            {
                json.WriteNumber("serial", number);
            }
        }
    }

    private static Argument<string> Pool() => new("POOL") { Description = "The pool's name." };

    private static string Help(string verb, string what, string example) => $"""
        {what}: weir {verb} http://localhost:5000 {example}

        It {Needs}
        """;
}
