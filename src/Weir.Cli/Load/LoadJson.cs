using System.Text.Json;
using Weir.Cli.Terminal;

namespace Weir.Cli.Load;

/// <summary>A report for programs; <c>docs/guide/measuring.md</c> documents its fields.</summary>
internal static class LoadJson
{
    /// <summary>One JSON object in a line.</summary>
    public static string Text(LoadOptions options, LoadReport report, IReadOnlyList<Assertion> assertions) => JsonText.Of(json =>
    {
        json.WriteString("url", options.Address.OriginalString);
        json.WriteString("model", options.Rate is null ? "closed" : "open");
        json.WriteNumber("connections", options.Connections);
        WriteTargetRate(json, options.Rate);
        json.WriteNumber("requests", report.Requests);
        json.WriteNumber("errors", report.Errors);
        json.WriteStartObject("errorsByKind");
        foreach (var (kind, count) in report.ErrorsByKind)
        {
            json.WriteNumber(kind, count);
        }

        json.WriteEndObject();
        json.WriteBoolean("interrupted", report.IsStopped);
        json.WriteNumber("unfinished", report.Unfinished);
        json.WriteNumber("seconds", Rounded(report.Seconds));
        json.WriteNumber("rate", Rounded(report.Rate));
        json.WriteNumber("bytes", report.BytesReceived);
        json.WriteNumber("items", report.Items);
        Write(json, "serviceTime", report.ServiceTime);
        Write(json, "responseTime", report.ResponseTime);
        Write(json, "lateness", report.Lateness);
        Write(json, "connectionWait", report.ConnectionWait);
        Write(json, "firstByte", report.FirstByte);
        Write(json, "itemGap", report.ItemGap);
        json.WriteBoolean("generatorLate", report.IsGeneratorLate);
        json.WriteStartArray("assertions");
        foreach (var assertion in assertions)
        {
            json.WriteStartObject();
            json.WriteString("assertion", assertion.Text);
            if (report.IsStopped)
            {
                json.WriteNull("holds");
            }
            else
            {
                json.WriteBoolean("holds", assertion.Refute(report) is null);
            }

            json.WriteNumber("actual", Rounded(assertion.Actual(report)));
            json.WriteEndObject();
        }

        json.WriteEndArray();
    });

    private static void WriteTargetRate(Utf8JsonWriter json, double? rate)
    {
        if (rate is { } number)
        {
            json.WriteNumber("targetRate", number);
        }
        else
        {
            json.WriteNull("targetRate");
        }
    }

    private static void Write(Utf8JsonWriter json, string name, LatencySummary? times)
    {
        if (times is not { } given)
        {
            json.WriteNull(name);
            return;
        }

        json.WriteStartObject(name);
        json.WriteNumber("count", given.Count);
        json.WriteNumber("p50", Rounded(given.P50));
        json.WriteNumber("p90", Rounded(given.P90));
        json.WriteNumber("p99", Rounded(given.P99));
        json.WriteNumber("p999", Rounded(given.P999));
        json.WriteNumber("max", Rounded(given.Max));
        json.WriteEndObject();
    }

    private static double Rounded(double value) => Math.Round(value, 4);
}
