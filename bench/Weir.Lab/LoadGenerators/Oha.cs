using System.Globalization;
using System.Text.Json;
using Weir.Lab.Engine;
using Weir.Lab.Processes;

namespace Weir.Lab.LoadGenerators;

/// <summary>oha: its times count from when a request was sent, unless an option corrects them.</summary>
/// <param name="isCorrected">Whether they count from when a request was due.</param>
internal sealed class Oha(bool isCorrected = false) : LoadGenerator
{
    private const double Millisecond = 1e-3;

    public override Availability Needs => Peers.Oha;

    public override Round Read(string output)
    {
        using var json = JsonDocument.Parse(output);
        var (summary, percentiles) = (json.RootElement.GetProperty("summary"), json.RootElement.GetProperty("latencyPercentiles"));

        // Requests that its deadline interrupts are not in this rate.
        return summary.GetProperty("successRate").GetDouble() == 1
            ? Figures(
                summary.GetProperty("requestsPerSec").GetDouble(), percentiles.GetProperty("p50").GetDouble() / Millisecond,
                percentiles.GetProperty("p99").GetDouble() / Millisecond, summary.GetProperty("slowest").GetDouble() / Millisecond)
            : throw new InvalidDataException($"requests of oha failed: {json.RootElement.GetProperty("errorDistribution")} {json.RootElement.GetProperty("statusCodeDistribution")}");
    }

    protected override (string File, IReadOnlyList<string> Arguments) Command(LoadWork work) => ("oha",
    [
        "--no-tui", "--output-format", "json",
        "-c", work.Connections.ToString(CultureInfo.InvariantCulture),
        "-z", string.Create(CultureInfo.InvariantCulture, $"{work.Seconds}s"),
        .. work.Rate is { } rate ? (string[])["-q", rate.ToString(CultureInfo.InvariantCulture)] : [],
        .. isCorrected ? (string[])["--latency-correction"] : [],
        work.Address.AbsoluteUri,
    ]);
}
