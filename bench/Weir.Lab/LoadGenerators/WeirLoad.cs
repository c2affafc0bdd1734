using System.Globalization;
using System.Text.Json;
using Weir.Lab.Engine;
using Weir.Lab.Processes;

namespace Weir.Lab.LoadGenerators;

/// <summary><c>weir load</c> as a user runs it; its times are response times, from when a request was due.</summary>
/// <param name="warmUp">How long it sends requests before it measures: a process that has just started is still being compiled.</param>
internal sealed class WeirLoad(TimeSpan warmUp) : LoadGenerator
{
    public const string ServiceP99 = "service time p99";
    public const string LateP50 = "generator late p50";
    public const string LateP99 = "generator late p99";

    public override Round Read(string output)
    {
        using var json = JsonDocument.Parse(output);
        var report = json.RootElement;
        if (report.GetProperty("errors").GetInt64() is > 0 and var errors)
            throw new InvalidDataException($"{errors} requests of weir load failed: {report.GetProperty("errorsByKind")}");

        var response = report.GetProperty("responseTime");
        var round = Figures(report.GetProperty("rate").GetDouble(), Time(response, "p50"), Time(response, "p99"), Time(response, "max"))
            .Add(ServiceP99, Time(report.GetProperty("serviceTime"), "p99"), "ms");
        var lateness = report.GetProperty("lateness");
        return report.GetProperty("model").GetString() == "closed"
            ? round
            : round.Add(LateP50, Time(lateness, "p50"), "ms").Add(LateP99, Time(lateness, "p99"), "ms");
    }

    protected override (string File, IReadOnlyList<string> Arguments) Command(LoadWork work) => ("dotnet",
    [
        BuiltPrograms.Cli, "load", work.Address.AbsoluteUri, "--json",
        "-c", work.Connections.ToString(CultureInfo.InvariantCulture),
        "-d", string.Create(CultureInfo.InvariantCulture, $"{work.Seconds}s"),
        .. warmUp == TimeSpan.Zero ? (string[])[] : ["--warm-up", string.Create(CultureInfo.InvariantCulture, $"{warmUp.TotalMilliseconds:0}ms")],
        .. work.Rate is { } rate ? (string[])["--rate", rate.ToString(CultureInfo.InvariantCulture)] : [],
    ]);

    private static double Time(JsonElement times, string name) => times.GetProperty(name).GetDouble();
}
