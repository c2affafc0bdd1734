using System.Globalization;
using System.Text.Json;
using Weir.Execution.Observation.Findings;

namespace Weir.Execution.Observation.Records;

/// <summary>Writes records as JSON, schema 1: members may be added, and none is renamed. Times are seconds, moments seconds since 1970. Pure.</summary>
internal static class RecordWriter
{
    /// <summary>The schema that a record names.</summary>
    public const int Schema = 1;

    // A sentence quotes what a worker said.
    private const int MostText = 500;

    /// <summary>Writes everything that is seen at one moment.</summary>
    public static void Write(Utf8JsonWriter json, ApplicationReading reading)
    {
        json.WriteStartObject();
        json.WriteNumber("schema", Schema);
        json.WriteNumber("t", Moment(reading.Now));
        json.WriteString("application", reading.Name);
        json.WriteNumber("pid", reading.ProcessId);
        json.WriteNumber("recordingSince", Moment(reading.Began));
        json.WriteStartArray("findings");
        foreach (var finding in reading.Findings)
        {
            Write(json, finding);
        }

        json.WriteEndArray();
        json.WriteNumber("findingCount", reading.FindingCount);
        WriteMoment(json, "findingsChangedAt", reading.FindingsChangedAt);
        json.WriteNumber("poolCount", reading.PoolCount);
        json.WriteStartObject("pools");
        foreach (var pool in reading.Pools)
        {
            json.WritePropertyName(pool.Name);
            Write(json, pool);
        }

        json.WriteEndObject();
        json.WriteNumber("operationCount", reading.OperationCount);
        json.WriteStartObject("operations");
        foreach (var operation in reading.Operations)
        {
            json.WriteStartObject(operation.Operation.FullName);
            WriteMembers(json, operation);
            json.WriteEndObject();
        }

        json.WriteEndObject();
        json.WriteStartObject("calls");
        json.WriteNumber("running", reading.CallCount);
        json.WriteStartArray("list");
        foreach (var call in reading.Calls)
        {
            Write(json, call);
        }

        json.WriteEndArray();
        json.WriteEndObject();
        json.WriteStartArray("reports");
        foreach (var report in reading.Reports)
        {
            Write(json, report);
        }

        json.WriteEndArray();
        foreach (var part in reading.Parts)
        {
            json.WritePropertyName(part.Name);
            part.Write(json);
        }

        json.WriteEndObject();
    }

    /// <summary>Writes one event of a worker.</summary>
    public static void Write(Utf8JsonWriter json, in WorkerEvent happened)
    {
        json.WriteStartObject();
        json.WriteNumber("t", Moment(happened.At));
        json.WriteString("event", NameOf(happened.Kind));
        json.WriteString("pool", happened.Pool);
        json.WriteNumber("pid", happened.ProcessId);
        json.WriteNumber("serial", happened.Serial);
        json.WriteNumber("generation", happened.Generation);
        if (happened.Kind == WorkerEventKind.Ended)
        {
            json.WriteString("end", NameOf(happened.End));
        }

        if (happened.IsFailure)
        {
            json.WriteString("report", happened.ReportId);
        }

        json.WriteEndObject();
    }

    /// <summary>Writes the list of crash reports.</summary>
    public static void Write(Utf8JsonWriter json, IReadOnlyList<CrashReportSummary> reports)
    {
        json.WriteStartObject();
        json.WriteNumber("schema", Schema);
        json.WriteStartArray("reports");
        foreach (var report in reports)
        {
            Write(json, report);
        }

        json.WriteEndArray();
        json.WriteEndObject();
    }

    /// <summary>Writes the points of a history, with the names of their numbers once.</summary>
    /// <param name="json">Receives an object.</param>
    /// <param name="began">The moment of second 0.</param>
    /// <param name="step">The seconds of each point.</param>
    /// <param name="names">The names of the numbers.</param>
    /// <param name="points">The points, the oldest first; a time without one is a gap.</param>
    public static void Write(Utf8JsonWriter json, DateTimeOffset began, int step, IReadOnlyList<string> names, IReadOnlyList<HistoryPoint> points)
    {
        json.WriteStartObject();
        json.WriteNumber("schema", Schema);
        json.WriteNumber("step", step);
        json.WriteStartArray("names");
        foreach (var name in names)
        {
            json.WriteStringValue(name);
        }

        json.WriteEndArray();
        json.WriteStartArray("points");
        foreach (var point in points)
        {
            json.WriteStartArray();
            json.WriteNumberValue(Moment(began.AddSeconds(point.Second)));
            foreach (var value in point.Values)
            {
                json.WriteNumberValue(value);
            }

            json.WriteEndArray();
        }

        json.WriteEndArray();
        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, Finding finding)
    {
        json.WriteStartObject();
        json.WriteString("kind", finding.Name ?? NameOf(finding.Kind));
        json.WriteString("severity", finding.Severity switch { FindingSeverity.Failing => "failing", FindingSeverity.Waiting => "waiting", _ => "notice" });
        WriteText(json, "pool", finding.Pool);
        WriteText(json, "op", finding.Operation);
        WriteText(json, "subject", finding.Subject);
        json.WriteNumber("since", Moment(finding.Since));
        json.WriteString("sentence", Cut(finding.Sentence));
        json.WriteString("toDo", finding.ToDo);
        WriteText(json, "report", finding.ReportId);
        json.WriteEndObject();
    }

    /// <summary>Writes a pool of a list.</summary>
    public static void Write(Utf8JsonWriter json, PoolRow pool)
    {
        var reading = pool.Reading;
        json.WriteStartObject();
        json.WriteString("state", pool.State);
        if (reading.RunsInline)
        {
            json.WriteBoolean("inline", true);
        }

        json.WriteNumber("workers", reading.Workers);
        json.WriteNumber("starting", reading.Starting);
        json.WriteNumber("busy", reading.Busy);
        json.WriteNumber("min", reading.MinWorkers);
        json.WriteNumber("max", reading.MaxWorkers);
        json.WriteNumber("queued", reading.Queued);
        json.WriteNumber("queuedMax", reading.MostQueued);
        json.WriteNumber("queueLimit", reading.QueueLimit);
        json.WriteNumber("waiting", reading.WaitingForCapacity);
        WriteSeconds(json, "oldest", reading.Oldest?.TotalSeconds);
        json.WriteNumber("rate", pool.Rate);
        json.WriteNumber("failed", pool.Failed);
        json.WriteNumber("minuteCalls", pool.MinuteCalls);
        json.WriteNumber("minuteFailed", pool.MinuteFailed);
        WriteSeconds(json, "p95", pool.P95);
        json.WriteEndObject();
    }

    /// <summary>Writes the members of an operation of a list.</summary>
    public static void WriteMembers(Utf8JsonWriter json, OperationRow row)
    {
        WriteText(json, "pool", row.Operation.Pool);
        json.WriteNumber("calls", row.Calls);
        json.WriteNumber("failed", row.Failed);
        WriteSeconds(json, "p50", row.P50);
        WriteSeconds(json, "p95", row.P95);
        WriteSeconds(json, "p99", row.P99);
        WriteSeconds(json, "max", row.Longest);
        WriteTimes(json, row.Sums);
    }

    /// <summary>Where an operation runs.</summary>
    public static string WhereOf(Operation operation) => operation.Placement switch { Placement.Lane => "lane", Placement.Isolated => "pool", _ => "inline" };

    /// <summary>Writes where time went.</summary>
    public static void WriteTimes(Utf8JsonWriter json, PhaseTimes times)
    {
        json.WriteStartObject("phases");
        WriteSeconds(json, "bind", times.Bind.TotalSeconds);
        WriteSeconds(json, "filters", times.Filters.TotalSeconds);
        WriteSeconds(json, "queue", times.Queue.TotalSeconds);
        WriteSeconds(json, "run", times.Run.TotalSeconds);
        WriteSeconds(json, "write", times.Write.TotalSeconds);
        json.WriteEndObject();
    }

    /// <summary>Writes a call that runs or waits.</summary>
    public static void Write(Utf8JsonWriter json, in RunningCallReading call)
    {
        json.WriteStartObject();
        json.WriteString("id", call.Id.ToString(CultureInfo.InvariantCulture));
        json.WriteString("op", call.Operation.FullName);
        json.WriteString("where", WhereOf(call.Operation));
        WriteText(json, "pool", call.Operation.Pool);
        if (call.ProcessId != 0)
        {
            json.WriteNumber("pid", call.ProcessId);
        }

        json.WriteString("phase", NameOf(call.Phase));
        WriteSeconds(json, "waited", call.Times.Queue.TotalSeconds);
        WriteSeconds(json, "for", call.Times.Total.TotalSeconds);
        if (call.IsCancelled)
        {
            json.WriteBoolean("cancelled", true);
        }

        if (call.CanCancel)
        {
            json.WriteBoolean("canCancel", true);
        }

        WriteText(json, "caller", call.Caller);

        if (call.TraceId != default)
        {
            json.WriteString("trace", call.TraceId.ToHexString());
        }

        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, CrashReportSummary report)
    {
        json.WriteStartObject();
        json.WriteString("id", report.Id);
        json.WriteNumber("t", Moment(report.At));
        json.WriteString("pool", report.Pool);
        json.WriteString("cause", Cut(report.Cause));
        json.WriteString("phase", Cut(report.Phase));
        WriteText(json, "op", report.Operation);
        json.WriteNumber("pid", report.ProcessId);
        json.WriteEndObject();
    }

    private static string NameOf<T>(T value)
        where T : struct, Enum
    {
        var name = value.ToString();
        return char.ToLowerInvariant(name[0]) + name[1..];
    }

    private static string Cut(string text) => text.Length <= MostText ? text : text[..MostText] + "…";

    /// <summary>A moment, in seconds since 1970.</summary>
    public static double Moment(DateTimeOffset at) => at.ToUnixTimeMilliseconds() / 1000.0;

    private static void WriteMoment(Utf8JsonWriter json, string name, DateTimeOffset? at)
    {
        if (at is { } value)
        {
            json.WriteNumber(name, Moment(value));
        }
    }

    /// <summary>Writes a text; nothing for <c>null</c>.</summary>
    public static void WriteText(Utf8JsonWriter json, string name, string? text)
    {
        if (text is not null)
        {
            json.WriteString(name, text);
        }
    }

    /// <summary>Writes a time; nothing for <c>null</c>. Microseconds are enough, and a record is read by people, too.</summary>
    public static void WriteSeconds(Utf8JsonWriter json, string name, double? seconds)
    {
        if (seconds is { } value)
        {
            json.WriteNumber(name, Math.Round(value, 6));
        }
    }
}
