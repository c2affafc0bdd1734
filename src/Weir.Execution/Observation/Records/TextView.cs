using System.Globalization;
using System.Text;
using Weir.Execution.Observation.Findings;

namespace Weir.Execution.Observation.Records;

/// <summary>Writes what <c>ps</c> shows: what is wrong, then pools, running calls, operations and the last failed workers. Pure.</summary>
internal static class TextView
{
    private const int MostRows = 20;

    /// <summary>Writes it.</summary>
    /// <param name="reading">What is seen.</param>
    /// <param name="zone">The zone of the times.</param>
    public static string Write(ApplicationReading reading, TimeZoneInfo zone)
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"{Line(reading.Name)} · pid {reading.ProcessId} · {TimeZoneInfo.ConvertTime(reading.Now, zone):yyyy-MM-dd HH:mm:ss}\n");
        foreach (var finding in reading.Findings.Take(MostRows))
        {
            text.Append(CultureInfo.InvariantCulture, $"{Symbol(finding.Severity)} {Line(finding.Sentence)}, since {Clock(finding.Since, zone)}\n");
            text.Append(CultureInfo.InvariantCulture, $"    {Line(finding.ToDo)}{(finding.ReportId is null ? "" : $" Report: {finding.ReportId}")}\n");
        }

        if (reading.FindingCount > MostRows)
        {
            text.Append(CultureInfo.InvariantCulture, $"  and {reading.FindingCount - MostRows} more\n");
        }

        if (!reading.Findings.Any(static one => one.Severity != FindingSeverity.Notice))
        {
            text.Append(CultureInfo.InvariantCulture, $"Nothing is wrong since {Clock(reading.FindingsChangedAt ?? reading.Began, zone)}.\n");
        }

        Pools(text, reading);
        Calls(text, reading);
        Operations(text, reading);
        Reports(text, reading, zone);
        return text.ToString();
    }

    private static void Pools(StringBuilder text, ApplicationReading reading)
    {
        var shown = reading.Pools.Where(static pool => pool.State != "idle" || pool.Reading.Workers > 0).Take(MostRows).ToArray();
        Table(
            text, "POOLS", ["workers", "queue", "oldest", "calls/s", "failed/s", "p95"],
            shown.Select(static pool => new[]
            {
                $"{Mark(pool.State)} {pool.Name}",
                pool.Reading.RunsInline ? Text($"{pool.Reading.Busy} calls in the host") : Text($"{pool.Reading.Busy} busy, {pool.Reading.Workers} of {pool.Reading.MinWorkers}–{pool.Reading.MaxWorkers}"),
                pool.Reading.RunsInline ? "–" : Text($"{pool.Reading.Queued}/{pool.Reading.QueueLimit}{(pool.Reading.WaitingForCapacity > 0 ? $" +{pool.Reading.WaitingForCapacity}" : "")}"),
                Time(pool.Reading.Oldest?.TotalSeconds), Text($"{pool.Rate}"), Text($"{pool.Failed}"), Time(pool.P95),
            }));
        if (reading.PoolCount > shown.Length)
        {
            text.Append(CultureInfo.InvariantCulture, $"  and {reading.PoolCount - shown.Length} more\n");
        }
    }

    private static void Calls(StringBuilder text, ApplicationReading reading) => Table(
        text, Text($"RUNNING NOW {reading.CallCount}"), ["for", "waited", "phase", "where", "trace"],
        reading.Calls.Take(MostRows).Select(static call => new[]
        {
            Text($"#{call.Id} {call.Operation.FullName}{(call.IsCancelled ? " (cancelled)" : "")}"),
            Time(call.Times.Total.TotalSeconds), Time(call.Times.Queue.TotalSeconds), call.Phase.ToString().ToLowerInvariant(),
            call.Operation.Pool is { } pool ? Text($"{pool}{(call.ProcessId == 0 ? "" : $" {call.ProcessId}")}") : call.Operation.Placement == Placement.Lane ? "lane" : "inline",
            call.TraceId == default ? "–" : call.TraceId.ToHexString(),
        }));

    private static void Operations(StringBuilder text, ApplicationReading reading) => Table(
        text, "OPERATIONS, last minute", ["calls", "failed", "p50", "p95", "p99", "max", "bind|filters|queue|run|write"],
        reading.Operations.Where(static one => one.Calls > 0).Take(MostRows).Select(static one => new[]
        {
            one.Operation.FullName, Text($"{one.Calls}"), Text($"{one.Failed}"), Time(one.P50), Time(one.P95), Time(one.P99), Time(one.Longest), Shares(one.Sums),
        }));

    private static void Reports(StringBuilder text, ApplicationReading reading, TimeZoneInfo zone) => Table(
        text, "RECENT WORKER FAILURES", ["report", "phase", "operation", "cause"],
        reading.Reports.Take(MostRows).Select(report => new[] { Clock(report.At, zone), report.Id, Line(report.Phase), report.Operation ?? "–", Line(report.Cause) }));

    // Columns as wide as their widest value, two spaces apart. Without rows it is left out.
    private static void Table(StringBuilder text, string title, string[] heads, IEnumerable<string[]> values)
    {
        var rows = values.Prepend([title, .. heads]).ToArray();
        if (rows.Length == 1)
        {
            return;
        }

        text.Append('\n');
        var widths = Enumerable.Range(0, rows[0].Length).Select(column => rows.Max(row => row[column].Length)).ToArray();
        foreach (var row in rows)
        {
            var line = string.Join("  ", row.Select((value, column) => value.PadRight(widths[column])));
            text.Append(line.TrimEnd()).Append('\n');
        }
    }

    private static string Shares(PhaseTimes sums)
    {
        var total = sums.Total;
        return total == TimeSpan.Zero ? "–" : Text($"{Part(sums.Bind)}|{Part(sums.Filters)}|{Part(sums.Queue)}|{Part(sums.Run)}|{Part(sums.Write)} %");

        string Part(TimeSpan time) => Text($"{100 * (time / total):0}");
    }

    private static string Symbol(FindingSeverity severity) => severity switch { FindingSeverity.Failing => "✗", FindingSeverity.Waiting => "!", _ => "i" };

    private static string Mark(string state) => state switch { "failing" => "✗", "waiting" => "!", "idle" => " ", _ => "✓" };

    private static string Clock(DateTimeOffset at, TimeZoneInfo zone) => TimeZoneInfo.ConvertTime(at, zone).ToString("HH:mm:ss", CultureInfo.InvariantCulture);

    // What a worker said must not move the cursor of a terminal, nor begin a line of its own.
    private static string Line(string text) => string.Create(text.Length, text, static (line, text) =>
    {
        for (var i = 0; i < line.Length; i++)
        {
            line[i] = char.IsControl(text[i]) ? ' ' : text[i];
        }
    });

    private static string Time(double? seconds) => seconds switch
    {
        null => "–",
        >= 60 and var time => Text($"{(long)time / 60} min {(long)time % 60} s"),
        >= 1 and var time => Text($"{time:0.0} s"),
        >= 0.001 and var time => Text($"{1000 * time:0.0} ms"),
        var time => Text($"{1e6 * time:0} µs"),
    };

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
