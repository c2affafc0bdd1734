using System.Globalization;
using System.Text;
using Weir.Execution.Observation.Findings;

namespace Weir.Execution.Observation.Records;

/// <summary>Writes what <c>ps</c> shows: what is wrong, then pools, running calls, operations, the last failed workers, and what parts add. Pure.</summary>
internal static class TextView
{
    // Of each table, where there are several.
    private const int MostRows = 20;

    private const int NamedPools = 5;

    /// <summary>Writes it.</summary>
    /// <param name="reading">What is seen, with its rows in their order.</param>
    /// <param name="zone">The zone of the times.</param>
    /// <param name="tables">Which tables: of one alone, all rows.</param>
    public static string Write(ApplicationReading reading, TimeZoneInfo zone, TextTables tables = TextTables.All)
    {
        var most = tables == TextTables.All ? MostRows : int.MaxValue;
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"{Line(reading.Name)} · pid {reading.ProcessId} · {TimeZoneInfo.ConvertTime(reading.Now, zone):yyyy-MM-dd HH:mm:ss}\n");
        foreach (var finding in reading.Findings.Take(MostRows))
        {
            text.Append(CultureInfo.InvariantCulture, $"{Symbol(finding.Severity)} {Line(finding.Sentence)}, since {Clock(finding.Since, zone)}\n");
            text.Append(CultureInfo.InvariantCulture, $"    {Line(finding.ToDo)}{(finding.ReportId is null ? "" : $" Its report: weir report URL {finding.ReportId}")}\n");
        }

        if (reading.FindingCount > MostRows)
        {
            text.Append(CultureInfo.InvariantCulture, $"  and {reading.FindingCount - MostRows} more\n");
        }

        if (!reading.Findings.Any(static one => one.Severity != FindingSeverity.Notice))
        {
            text.Append(CultureInfo.InvariantCulture, $"Nothing is wrong since {Clock(reading.FindingsChangedAt ?? reading.Began, zone)}.\n");
        }

        if (tables is TextTables.All or TextTables.Pools)
        {
            Pools(text, reading, most);
        }

        if (tables is TextTables.All or TextTables.Calls)
        {
            Calls(text, reading, most);
        }

        if (tables is TextTables.All or TextTables.Operations)
        {
            Operations(text, reading, most);
        }

        if (tables is TextTables.All or TextTables.Pools)
        {
            Reports(text, reading, zone, most);
        }

        if (tables is TextTables.All or TextTables.Parts)
        {
            Parts(text, reading, most);
        }

        return text.ToString();
    }

    /// <summary>A time as people read it; a dash where there is none.</summary>
    public static string Time(double? seconds) => seconds switch
    {
        null => "–",
        >= 60 and var time => Text($"{(long)time / 60} min {(long)time % 60} s"),
        >= 1 and var time => Text($"{time:0.0} s"),
        >= 0.001 and var time => Text($"{1000 * time:0.0} ms"),
        var time => Text($"{1e6 * time:0} µs"),
    };

    private static void Pools(StringBuilder text, ApplicationReading reading, int most)
    {
        var shown = reading.Pools.Where(static pool => pool.State != "idle" || pool.Reading.Workers > 0).Take(most).ToArray();
        Table(
            text, "POOLS", ["workers", "queue", "oldest", "calls/min", "failed/min", "p95"],
            shown.Select(static pool => new[]
            {
                $"{Mark(pool.State)} {pool.Name}",
                pool.Reading.RunsInline ? Text($"{pool.Reading.Busy} calls in the host") : Text($"{pool.Reading.Busy} busy, {pool.Reading.Workers} of {pool.Reading.MinWorkers}–{pool.Reading.MaxWorkers}"),
                pool.Reading.RunsInline ? "–" : Text($"{pool.Reading.Queued}/{pool.Reading.QueueLimit}{(pool.Reading.WaitingForCapacity > 0 ? $" +{pool.Reading.WaitingForCapacity}" : "")}"),
                Time(pool.Reading.Oldest?.TotalSeconds), Text($"{pool.MinuteCalls}"), Text($"{pool.MinuteFailed}"), Time(pool.P95),
            }));
        if (reading.PoolCount > shown.Length)
        {
            var others = reading.Pools.Except(shown).Take(NamedPools).Select(static pool => pool.Name).ToArray();
            text.Append(CultureInfo.InvariantCulture, $"  and {reading.PoolCount - shown.Length} more: {string.Join(", ", others)}{(reading.PoolCount > shown.Length + others.Length ? ", …" : "")}\n");
        }
    }

    private static void Calls(StringBuilder text, ApplicationReading reading, int most) => Table(
        text, Title(reading), ["for", "waited", "phase", "where", "trace"],
        reading.Calls.Take(most).Select(static call => new[]
        {
            Text($"#{call.Id} {call.Operation.FullName}{(call.IsCancelled ? " (cancelled)" : "")}"),
            Time(call.Times.Total.TotalSeconds), Time(call.Times.Queue.TotalSeconds), PhaseOf(call.Phase),
            call.Operation.Pool is { } pool ? Text($"{pool}{(call.ProcessId == 0 ? "" : $" {call.ProcessId}")}") : call.Operation.Placement == Placement.Lane ? "lane" : "inline",
            call.TraceId == default ? "–" : call.TraceId.ToHexString(),
        }));

    private static void Operations(StringBuilder text, ApplicationReading reading, int most) => Table(
        text, "OPERATIONS, last minute", ["calls", "failed", "p50", "p95", "p99", "max", "bind|filters|queue|run|write"],
        reading.Operations.Where(static one => one.Calls > 0).Take(most).Select(static one => new[]
        {
            one.Operation.FullName, Text($"{one.Calls}"), Text($"{one.Failed}"), Time(one.P50), Time(one.P95), Time(one.P99), Time(one.Longest), Shares(one.Sums),
        }));

    private static string Title(ApplicationReading reading)
    {
        var waiting = Math.Min(reading.CallCount, reading.Pools.Sum(static pool => pool.Reading.Queued + pool.Reading.WaitingForCapacity));
        return Text($"CALLS NOW: {reading.CallCount - waiting} run, {waiting} wait");
    }

    // Whether it has begun there is not known: it was sent.
    private static string PhaseOf(RecordedPhase phase) => phase == RecordedPhase.Assigned ? "worker" : phase.ToString().ToLowerInvariant();

    // A crash loop is one line.
    private static void Reports(StringBuilder text, ApplicationReading reading, TimeZoneInfo zone, int most) => Table(
        text, "RECENT WORKER FAILURES", ["times", "last report", "phase", "operation", "cause"],
        reading.Reports.GroupBy(static report => (report.Pool, report.Phase, report.Operation, report.Cause)).Take(most).Select(group => new[]
        {
            Clock(group.First().At, zone), Text($"{group.Count()}"), group.First().Id, Line(group.Key.Phase), group.Key.Operation ?? "–", Line(group.Key.Cause),
        }));

    private static void Parts(StringBuilder text, ApplicationReading reading, int most)
    {
        foreach (var part in reading.Parts)
        {
            text.Append(CultureInfo.InvariantCulture, $"\n{Line(part.Line)}\n");
            var table = part.Table;
            Table(text, table.Title, [.. table.Heads], table.Rows.Take(most).Select(static row => row.Select(Line).ToArray()));
        }
    }

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

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
