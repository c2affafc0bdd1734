using System.CommandLine;
using System.CommandLine.Completions;
using Weir.Cli.Answers;
using Weir.Cli.Contracts;
using Weir.Cli.Terminal;

namespace Weir.Cli.Call;

/// <summary><c>weir call</c>.</summary>
internal static class CallCommand
{
    private const string Help = """
        Calls an operation of a running server with MapWeirCatalog: weir call http://localhost:5000 Orders/Find id=7

        An argument is name=value. A value is text, a number or a name of an enum; JSON for an object or a list, which may also be repeated; @FILE for what a file has, @- for standard
        input; @@ begins a text that begins with @. Ctrl-C cancels the call. 'dotnet-suggest' completes the names of operations and their parameters from the catalog.

        With --job the call is stored as a job, which survives the connection and the server's process: its id and URL are printed on standard error, its progress is shown there, and its
        result or items are printed as those of a call. Ctrl-C stops the waiting, and not the job.

        Exit code 0: the call succeeded; 1: it was refused or failed, its answer cannot be read, or its stream is not complete; 2: an input is wrong; 3: the job ended without success;
        130: Ctrl-C.
        """;

    public static Command Create(CommandConsole console)
    {
        var address = new Argument<string>("URL") { Description = "The server, with what its paths begin with if that is not '/'; or its catalog." };
        var operation = new Argument<string>("OPERATION") { Description = "Service/Operation, in any case." };
        var arguments = new Argument<string[]>("NAME=VALUE") { Description = "The arguments.", Arity = ArgumentArity.ZeroOrMore };
        var headers = new Option<string[]>("--header", "-H") { Description = "A header of the call and of the request for the catalog; may be repeated.", HelpName = "NAME: VALUE" };
        var stream = new Option<bool>("--stream") { Description = "Prints each item of a stream in a line as soon as it comes; without it a stream is printed in this way on a terminal, and as one JSON array elsewhere." };
        var prefix = new Option<string?>("--prefix") { Description = "What the paths begin with, where MapWeir maps the service several times: /v2.", HelpName = "/PREFIX" };
        var most = OptionTypes.Number("--max-bytes", $"The most bytes of a JSON result that is printed readably, and of an item; {AnswerPrinter.DefaultMostBytes} if it is not given.", 1, 1024 * 1024 * 1024);
        var json = new Option<bool>("--json") { Description = "Prints the result as the server sent it, and a problem as JSON on standard output." };
        var job = new Option<bool>("--job") { Description = "Makes the call a job of the server, and waits for it." };
        var key = new Option<string?>("--key") { Description = "With --job: a key of 1 to 200 visible characters; the same call with the same key is the same job. Random if it is not given.", HelpName = "KEY" };
        var noWait = new Option<bool>("--no-wait") { Description = "With --job: prints the job's id, and ends; the job itself with --json." };
        var command = new Command("call", Help) { address, operation, arguments, headers, prefix, stream, most, json, job, key, noWait };
        operation.CompletionSources.Add(context => Complete(context, static (services, _) => services.SelectMany(static one => one.Operations.Select(operation => $"{one.Name}/{operation.Name}"))));
        arguments.CompletionSources.Add(context => Complete(context, static (services, name) => CallRequest.Find(services, name) is ({ }, { } found) ? found.Parameters.Select(static one => one.Name + "=") : []));
        command.SetAction((parsed, cancellationToken) => new CallRun(
            new CallSettings
            {
                Address = parsed.GetRequiredValue(address),
                Operation = parsed.GetRequiredValue(operation),
                Arguments = parsed.GetValue(arguments) ?? [],
                Headers = parsed.GetValue(headers) ?? [],
                Prefix = parsed.GetValue(prefix),
                IsStream = parsed.GetValue(stream),
                MostBytes = parsed.GetValue(most) ?? AnswerPrinter.DefaultMostBytes,
                IsJson = parsed.GetValue(json),
                IsJob = parsed.GetValue(job),
                Key = parsed.GetValue(key),
                IsNoWait = parsed.GetValue(noWait),
            },
            console).RunAsync(cancellationToken));
        return command;

        IEnumerable<CompletionItem> Complete(CompletionContext context, Func<IReadOnlyList<ServiceContract>, string, IEnumerable<string>> names)
        {
            try
            {
                // A shell waits for it: a server that does not answer within a second completes nothing.
                using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(1));
                var from = context.ParseResult.GetValue(address);
                return from is null || !Catalog.IsAddress(from) ? [] : [.. names(
                    Task.Run(() => Catalog.ReadAsync(from, context.ParseResult.GetValue(headers) ?? [], null, console, limit.Token), limit.Token).GetAwaiter().GetResult().Services,
                    context.ParseResult.GetValue(operation) ?? "").Where(one => one.StartsWith(context.WordToComplete, StringComparison.OrdinalIgnoreCase)).Select(static one => new CompletionItem(one))];
            }
            catch (Exception failure) when (failure is InputException or OperationCanceledException or InvalidOperationException)
            {
                return [];
            }
        }
    }
}
