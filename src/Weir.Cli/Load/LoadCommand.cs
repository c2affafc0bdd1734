using System.CommandLine;
using Weir.Cli.Terminal;

namespace Weir.Cli.Load;

/// <summary><c>weir load</c>.</summary>
internal static class LoadCommand
{
    private const string Help = """
        Sends requests to one URL and measures what its users would see.

        Without --rate every connection sends its next request when the last one was answered (closed model): a server that stalls is asked less. With --rate
        requests are sent when they are due (open model), and the response time counts from then. At most 10s, if neither -n nor -d is given.

        Exit code 0: the test ran and every assertion holds; 1: an assertion does not hold, or no request succeeded; 2: an input is wrong; 130: Ctrl-C, after the figures until then.
        """;

    public static Command Create(CommandConsole console)
    {
        var address = new Argument<string>("URL") { Description = "Where the requests go." };
        var connections = OptionTypes.Number("--connections", "Connections, each with one request in flight at most; 50 if it is not given.", 1, 100_000, "-c");
        var requests = OptionTypes.Number("--requests", "How many requests.", 1, int.MaxValue, "-n");
        var duration = OptionTypes.Time("--duration", "For how long; 10s if neither this nor -n is given.", 24 * 30, "-d");
        var warmUp = OptionTypes.Time("--warm-up", "For how long requests are sent before that, and not counted.", 1);
        var timeout = OptionTypes.Time("--timeout", "How long a request may take; 30s if it is not given.", 1);
        var rate = new Option<string?>("--rate", "-r") { Description = "Requests per second, sent when they are due (open model).", HelpName = "N" };
        var poisson = new Option<bool>("--poisson") { Description = "Random gaps between the requests of --rate, as of many independent users." };
        var headers = new Option<string[]>("--header", "-H") { Description = "A header of each request; may be repeated.", HelpName = "NAME: VALUE" };
        var body = new Option<string?>("--body") { Description = "A file with the body of each request; '-' is standard input.", HelpName = "FILE" };
        var method = new Option<string?>("--method", "-X") { Description = "The method; GET if it is not given, POST with --body.", HelpName = "M" };
        var version = new Option<string?>("--http") { Description = "The version of HTTP: 1.1, or 2; 1.1 if it is not given.", HelpName = "VERSION" };
        var insecure = new Option<bool>("--insecure") { Description = "Accepts any certificate of the server." };
        var stream = new Option<bool>("--stream") { Description = "Measures the first byte and the gaps between items of streamed answers." };
        var abortAfter = OptionTypes.Number("--abort-after", "Leaves each stream after so many items.", 1, int.MaxValue);
        var asserts = new Option<string[]>("--assert") { Description = "Bounds, separated by commas: p50, p90, p99, p999, max (of the response time), errors, rate. For example 'p99<50ms,errors=0'.", HelpName = "BOUNDS" };
        var json = new Option<bool>("--json") { Description = "Prints one JSON object." };
        var command = new Command("load", Help) { address, connections, requests, duration, warmUp, timeout, rate, poisson, headers, body, method, version, insecure, stream, abortAfter, asserts, json };
        command.SetAction(async (parsed, cancellationToken) =>
        {
            var settings = new LoadSettings
            {
                Address = parsed.GetRequiredValue(address),
                Connections = parsed.GetValue(connections),
                Requests = parsed.GetValue(requests),
                Duration = parsed.GetValue(duration),
                WarmUp = parsed.GetValue(warmUp),
                Timeout = parsed.GetValue(timeout),
                Rate = parsed.GetValue(rate),
                IsPoisson = parsed.GetValue(poisson),
                Headers = parsed.GetValue(headers) ?? [],
                Body = parsed.GetValue(body),
                Method = parsed.GetValue(method),
                HttpVersion = parsed.GetValue(version),
                IsInsecure = parsed.GetValue(insecure),
                IsStream = parsed.GetValue(stream),
                AbortAfter = parsed.GetValue(abortAfter),
            };
            Assertion[] assertions = [.. Assertion.ParseAll(parsed.GetValue(asserts) ?? [])];
            return await new LoadMeasurement(await settings.ToOptionsAsync(console, cancellationToken), assertions, parsed.GetValue(json), console).RunAsync(cancellationToken);
        });
        return command;
    }
}
