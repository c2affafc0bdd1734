using System.CommandLine;
using Weir.Cli.Terminal;

namespace Weir.Cli.Fetch;

/// <summary><c>weir fetch</c>.</summary>
internal static class FetchCommand
{
    private const string Help = """
        Sends a GET request to every URL, many at once.

        On a terminal it shows its progress; elsewhere, and with --json, it prints one JSON object per URL. Ctrl-C leaves a journal that --resume continues.

        Exit code 0: every URL was answered with a status from 200 to 299; 1: some were not; 2: an input is wrong; 130: Ctrl-C.
        """;

    public static Command Create(CommandConsole console)
    {
        var addresses = new Argument<string[]>("URL") { Description = "What to fetch.", Arity = ArgumentArity.ZeroOrMore };
        var input = new Option<string?>("--input", "-i") { Description = "A file with one URL a line; '-' is standard input, which may be endless. Empty lines and lines that begin with '#' do not count.", HelpName = "FILE" };
        var max = OptionTypes.Number("--max", "The most requests in flight; 50 if it is not given.", 1, 100_000);
        var perHost = OptionTypes.Number("--per-host", "The most requests in flight to one host; without it, as many as --max.", 1, 100_000);
        var timeout = OptionTypes.Time("--timeout", "How long a request may take until its body is read; 100s if it is not given.", 24);
        var output = new Option<string?>("--output", "-o") { Description = "Saves the body of every answer from 200 to 299 in this folder, in a file named after the number of its URL and the URL.", HelpName = "DIR" };
        var resume = new Option<string?>("--resume") { Description = "Records in this file what has been fetched, and does not fetch it again. It must belong to the same list of URLs.", HelpName = "JOURNAL" };
        var insecure = new Option<bool>("--insecure") { Description = "Accepts any certificate of the servers." };
        var json = new Option<bool>("--json") { Description = "Prints JSON lines on a terminal, too." };
        var command = new Command("fetch", Help) { addresses, input, max, perHost, timeout, output, resume, insecure, json };
        command.SetAction((parsed, cancellationToken) => new FetchRun(
            new FetchSettings
            {
                Addresses = parsed.GetValue(addresses) ?? [],
                Input = parsed.GetValue(input),
                Max = parsed.GetValue(max) ?? 50,
                PerHost = parsed.GetValue(perHost),
                Timeout = parsed.GetValue(timeout) ?? TimeSpan.FromSeconds(100),
                Output = parsed.GetValue(output),
                Resume = parsed.GetValue(resume),
                IsInsecure = parsed.GetValue(insecure),
                Json = parsed.GetValue(json),
            },
            console).RunAsync(cancellationToken));
        return command;
    }
}
