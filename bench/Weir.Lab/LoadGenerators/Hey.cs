using System.Globalization;
using System.Text.RegularExpressions;
using Weir.Lab.Engine;
using Weir.Lab.Processes;

namespace Weir.Lab.LoadGenerators;

/// <summary>hey: closed, where a rate only bounds how often each of its workers may send.</summary>
internal sealed partial class Hey : LoadGenerator
{
    private const double Millisecond = 1e-3;

    public override Availability Needs => Peers.Hey;

    public override Round Read(string output)
    {
        // It ends with code 0 whatever happened.
        if (FailureLine().Match(output) is { Success: true } failure)
            throw new InvalidDataException($"requests of hey failed: {failure.Value.Trim()}");

        return RateLine().Match(output) is { Success: true } rate
            && P50Line().Match(output) is { Success: true } p50
            && P99Line().Match(output) is { Success: true } p99
            && MaxLine().Match(output) is { Success: true } max
                ? Figures(Number(rate), Number(p50) / Millisecond, Number(p99) / Millisecond, Number(max) / Millisecond)
                : throw new InvalidDataException($"hey printed no rate and latencies: '{output.Trim()}'");
    }

    protected override (string File, IReadOnlyList<string> Arguments) Command(LoadWork work) => ("hey",
    [
        "-c", work.Connections.ToString(CultureInfo.InvariantCulture),
        "-z", string.Create(CultureInfo.InvariantCulture, $"{work.Seconds}s"),
        .. work.Rate is { } rate ? (string[])["-q", (rate / work.Connections).ToString(CultureInfo.InvariantCulture)] : [],
        work.Address.AbsoluteUri,
    ]);

    private static double Number(Match match) => double.Parse(match.Groups[1].Value, CultureInfo.InvariantCulture);

    [GeneratedRegex(@"^Error distribution:\s*.*$|^ +\[(?!2)\d+\]\s+\d+ responses", RegexOptions.Multiline)]
    private static partial Regex FailureLine();

    [GeneratedRegex(@"^ +Requests/sec:\s+([\d.]+)", RegexOptions.Multiline)]
    private static partial Regex RateLine();

    [GeneratedRegex(@"^ +50%+ in ([\d.]+) secs", RegexOptions.Multiline)]
    private static partial Regex P50Line();

    [GeneratedRegex(@"^ +99%+ in ([\d.]+) secs", RegexOptions.Multiline)]
    private static partial Regex P99Line();

    [GeneratedRegex(@"^ +Slowest:\s+([\d.]+) secs", RegexOptions.Multiline)]
    private static partial Regex MaxLine();
}
