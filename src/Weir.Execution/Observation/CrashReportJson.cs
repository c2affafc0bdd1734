using System.Diagnostics;
using System.IO.Compression;
using System.Text.Json;

namespace Weir.Execution.Observation;

/// <summary>A crash report as JSON, compressed by gzip: the form in which it is kept and sent. Pure functions.</summary>
internal static class CrashReportJson
{
    /// <summary>Writes a report.</summary>
    /// <returns>The JSON, compressed.</returns>
    public static byte[] Compress(CrashReport report)
    {
        // Bounded by the report: 64 KB of output, 64 KB of stack, and some lines.
        using var bytes = new MemoryStream();
        using (var gzip = new GZipStream(bytes, CompressionLevel.Fastest, leaveOpen: true))
        using (var json = new Utf8JsonWriter(gzip))
        {
            Write(json, report);
        }

        return bytes.ToArray();
    }

    /// <summary>The JSON that <see cref="Compress"/> wrote.</summary>
    public static byte[] Decompress(byte[] compressed)
    {
        using var gzip = new GZipStream(new MemoryStream(compressed, writable: false), CompressionMode.Decompress);
        using var bytes = new MemoryStream();
        gzip.CopyTo(bytes);
        return bytes.ToArray();
    }

    /// <summary>Reads what <see cref="Compress"/> wrote.</summary>
    public static CrashReport Read(byte[] compressed)
    {
        using var gzip = new GZipStream(new MemoryStream(compressed, writable: false), CompressionMode.Decompress);
        using var document = JsonDocument.Parse(gzip);
        var report = document.RootElement;
        return new CrashReport
        {
            Id = Text(report, "id")!,
            Pool = Text(report, "pool")!,
            ProcessId = Member(report, "pid").GetInt32(),
            Generation = Member(report, "generation").GetInt32(),
            At = Member(report, "at").GetDateTimeOffset(),
            Phase = Text(report, "phase")!,
            Cause = Text(report, "cause")!,
            ExitCode = Integer(report, "exitCode"),
            Signal = Integer(report, "signal"),
            Age = Time(report, "age"),
            CallsDone = Member(report, "callsDone").GetInt64(),
            Calls = [.. Member(report, "calls").EnumerateArray().Select(static call => new CrashReportCall(
                Member(call, "id").GetInt64(), Text(call, "operation")!, Text(call, "state")!, Time(call, "before")))],
            Output = Text(report, "output")!,
            Stack = Text(report, "stack"),
            DumpPath = Text(report, "dumpPath"),
            Limits = Limits(Member(report, "limits")),
        };
    }

    /// <summary>Writes a report as one object. Times are seconds; a member without a value is left out.</summary>
    public static void Write(Utf8JsonWriter json, CrashReport report)
    {
        json.WriteStartObject();
        json.WriteString("id", report.Id);
        json.WriteString("pool", report.Pool);
        json.WriteNumber("pid", report.ProcessId);
        json.WriteNumber("generation", report.Generation);
        json.WriteString("at", report.At);
        json.WriteString("phase", report.Phase);
        json.WriteString("cause", report.Cause);
        WriteNumber(json, "exitCode", report.ExitCode);
        WriteNumber(json, "signal", report.Signal);
        WriteTime(json, "age", report.Age);
        json.WriteNumber("callsDone", report.CallsDone);
        json.WriteStartArray("calls");
        foreach (var call in report.Calls)
        {
            json.WriteStartObject();
            json.WriteNumber("id", call.Id);
            json.WriteString("operation", call.Operation);
            json.WriteString("state", call.State);
            WriteTime(json, "before", call.Before);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteString("output", report.Output);
        WriteText(json, "stack", report.Stack);
        WriteText(json, "dumpPath", report.DumpPath);
        json.WriteStartObject("limits");
        Write(json, report.Limits);
        json.WriteEndObject();
        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, AppliedLimits limits)
    {
        WriteNumber(json, "nice", limits.Nice);
        WriteText(json, "priority", limits.Priority?.ToString());
        if (limits.Processors is { } processors)
        {
            json.WriteStartArray("processors");
            foreach (var processor in processors)
            {
                json.WriteNumberValue(processor);
            }

            json.WriteEndArray();
        }

        WriteNumber(json, "memoryBytes", limits.MemoryBytes);
        WriteNumber(json, "oomScoreAdjustment", limits.OomScoreAdjustment);
        WriteText(json, "controlGroup", limits.ControlGroup);
        json.WriteBoolean("endsEverything", limits.EndsEverything);
        WriteNumber(json, "groupMemoryBytes", limits.GroupMemoryBytes);
        WriteNumber(json, "processes", limits.Processes);
        if (limits.Cpus is { } cpus)
        {
            json.WriteNumber("cpus", cpus);
        }

        json.WriteStartArray("missing");
        foreach (var missing in limits.Missing)
        {
            json.WriteStringValue(missing);
        }

        json.WriteEndArray();
    }

    private static AppliedLimits Limits(JsonElement limits) => new()
    {
        Nice = Integer(limits, "nice"),
        Priority = Text(limits, "priority") is { } priority ? Enum.Parse<ProcessPriorityClass>(priority) : null,
        Processors = limits.TryGetProperty("processors", out var processors) ? [.. processors.EnumerateArray().Select(static one => one.GetInt32())] : null,
        MemoryBytes = Bytes(limits, "memoryBytes"),
        OomScoreAdjustment = Integer(limits, "oomScoreAdjustment"),
        ControlGroup = Text(limits, "controlGroup"),
        EndsEverything = Member(limits, "endsEverything").GetBoolean(),
        GroupMemoryBytes = Bytes(limits, "groupMemoryBytes"),
        Processes = Integer(limits, "processes"),
        Cpus = limits.TryGetProperty("cpus", out var cpus) ? cpus.GetDouble() : null,
        Missing = [.. Member(limits, "missing").EnumerateArray().Select(static one => one.GetString()!)],
    };

    // From a decimal: a double would lose ticks.
    private static void WriteTime(Utf8JsonWriter json, string name, TimeSpan time)
    {
        json.WriteNumber(name, (decimal)time.Ticks / TimeSpan.TicksPerSecond);
    }

    private static void WriteText(Utf8JsonWriter json, string name, string? text)
    {
        if (text is not null)
        {
            json.WriteString(name, text);
        }
    }

    private static void WriteNumber(Utf8JsonWriter json, string name, long? number)
    {
        if (number is { } value)
        {
            json.WriteNumber(name, value);
        }
    }

    private static JsonElement Member(JsonElement from, string name) =>
        from.TryGetProperty(name, out var value) ? value : throw new JsonException($"A crash report has no '{name}'.");

    private static string? Text(JsonElement from, string name) => from.TryGetProperty(name, out var value) ? value.GetString() : null;

    private static int? Integer(JsonElement from, string name) => from.TryGetProperty(name, out var value) ? value.GetInt32() : null;

    private static long? Bytes(JsonElement from, string name) => from.TryGetProperty(name, out var value) ? value.GetInt64() : null;

    private static TimeSpan Time(JsonElement from, string name) => new((long)(Member(from, name).GetDecimal() * TimeSpan.TicksPerSecond));
}
