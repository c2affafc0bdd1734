using System.Globalization;
using System.Text.RegularExpressions;
using Weir.Lab.Engine;
using Weir.Lab.Processes;

namespace Weir.Lab.LoadGenerators;

/// <summary>wrk with a thread per processor: closed, as it has no rate.</summary>
/// <remarks>
/// After the run it adds to its latencies those that it estimates for requests which a slow one kept it from sending (wg/wrk#326), with no option
/// against that: they are neither service times nor response times from a schedule.
/// </remarks>
internal sealed partial class Wrk : LoadGenerator
{
    public override Availability Needs => Peers.Wrk;

    public override Round Read(string output)
    {
        if (FailureLine().Match(output) is { Success: true } failure)
            throw new InvalidDataException($"requests of wrk failed: {failure.Value.Trim()}");

        return RateLine().Match(output) is { Success: true } rate
            && P50Line().Match(output) is { Success: true } p50
            && P99Line().Match(output) is { Success: true } p99
            && MaxLine().Match(output) is { Success: true } max
                ? Figures(double.Parse(rate.Groups[1].Value, CultureInfo.InvariantCulture), Milliseconds(p50), Milliseconds(p99), Milliseconds(max))
                : throw new InvalidDataException($"wrk printed no rate and latencies: '{output.Trim()}'");
    }

    // Its own timeout is 2 s, within which a stall that is measured here may not end.
    protected override (string File, IReadOnlyList<string> Arguments) Command(LoadWork work) => work.Rate is null
        ? ("wrk",
        [
            string.Create(CultureInfo.InvariantCulture, $"-t{Math.Min(Environment.ProcessorCount, work.Connections)}"),
            string.Create(CultureInfo.InvariantCulture, $"-c{work.Connections}"),
            string.Create(CultureInfo.InvariantCulture, $"-d{work.Seconds}s"),
            "--timeout", "30s", "--latency", work.Address.AbsoluteUri,
        ])
        : throw new ArgumentException($"wrk cannot send {work.Rate} requests per second: it has no rate.", nameof(work));

    private static double Milliseconds(Match match) => double.Parse(match.Groups[1].Value, CultureInfo.InvariantCulture) * match.Groups[2].Value switch
    {
        "us" => 1e-3,
        "ms" => 1,
        "s" => 1e3,
        _ => 60e3,
    };

    [GeneratedRegex(@"^ *(?:Socket errors|Non-2xx or 3xx responses):.*$", RegexOptions.Multiline)]
    private static partial Regex FailureLine();

    [GeneratedRegex(@"^Requests/sec: +([\d.]+)", RegexOptions.Multiline)]
    private static partial Regex RateLine();

    [GeneratedRegex(@"^ +50% +([\d.]+)(us|ms|s|m)\b", RegexOptions.Multiline)]
    private static partial Regex P50Line();

    [GeneratedRegex(@"^ +99% +([\d.]+)(us|ms|s|m)\b", RegexOptions.Multiline)]
    private static partial Regex P99Line();

    [GeneratedRegex(@"^ +Latency +\S+ +\S+ +([\d.]+)(us|ms|s|m)\b", RegexOptions.Multiline)]
    private static partial Regex MaxLine();
}
