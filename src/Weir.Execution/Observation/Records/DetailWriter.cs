using System.Text.Json;
using Weir.Execution.Machine;

namespace Weir.Execution.Observation.Records;

/// <summary>Writes what is known of one operation, one pool or the host as JSON, in the schema of <see cref="RecordWriter"/>. Pure.</summary>
internal static class DetailWriter
{
    /// <summary>Writes the list of operations.</summary>
    public static void Write(Utf8JsonWriter json, IReadOnlyList<OperationRow> operations)
    {
        Begin(json);
        json.WriteStartArray("operations");
        foreach (var row in operations)
        {
            json.WriteStartObject();
            WriteOperation(json, row);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteEndObject();
    }

    /// <summary>Writes one operation.</summary>
    public static void Write(Utf8JsonWriter json, OperationDetail detail)
    {
        Begin(json);
        WriteOperation(json, detail.Minute);
        json.WriteStartObject("five");
        RecordWriter.WriteMembers(json, detail.FiveMinutes);
        json.WriteEndObject();
        json.WriteStartObject("statuses");
        foreach (var (status, calls) in detail.Failures)
        {
            json.WriteNumber(status.ToString(), calls);
        }

        json.WriteEndObject();
        WriteCalls(json, "slowest", detail.Slowest);
        WriteCalls(json, "lastFailed", detail.LastFailed);
        json.WriteEndObject();
    }

    /// <summary>Writes a list of calls.</summary>
    /// <param name="json">Receives an object.</param>
    /// <param name="calls">The calls.</param>
    /// <param name="total">How many there are.</param>
    public static void Write(Utf8JsonWriter json, IReadOnlyList<RunningCallReading> calls, int total)
    {
        Begin(json);
        json.WriteNumber("running", total);
        json.WriteStartArray("list");
        foreach (var call in calls)
        {
            RecordWriter.Write(json, call);
        }

        json.WriteEndArray();
        json.WriteEndObject();
    }

    /// <summary>Writes one pool.</summary>
    /// <param name="json">Receives an object.</param>
    /// <param name="detail">The pool.</param>
    /// <param name="now">The present moment: workers have ages.</param>
    public static void Write(Utf8JsonWriter json, PoolDetail detail, DateTimeOffset now)
    {
        Begin(json);
        json.WriteString("name", detail.Row.Name);
        json.WritePropertyName("pool");
        RecordWriter.Write(json, detail.Row);
        json.WriteStartArray("workers");
        foreach (var worker in detail.Workers)
        {
            Write(json, worker, now);
        }

        json.WriteEndArray();
        RecordWriter.WriteText(json, "isolation", detail.Snapshot?.Isolation);
        json.WriteStartObject("options");
        foreach (var (name, value) in detail.Options)
        {
            json.WriteString(name, value);
        }

        json.WriteEndObject();
        json.WriteStartArray("events");
        foreach (var one in detail.Events)
        {
            RecordWriter.Write(json, one);
        }

        json.WriteEndArray();
        json.WriteEndObject();
    }

    /// <summary>Writes the process of the application.</summary>
    public static void Write(Utf8JsonWriter json, HostDetail host)
    {
        Begin(json);
        json.WriteNumber("processors", host.Processors);
        json.WriteNumber("memory", host.MemoryBytes);
        json.WriteNumber("gcHeap", host.HeapBytes);
        json.WriteNumber("gcPause", host.PausePercent);
        json.WriteStartObject("threadPool");
        json.WriteNumber("threads", host.PoolThreads);
        json.WriteNumber("queued", host.PoolQueued);
        json.WriteEndObject();
        if (host.Lane is { } lane)
        {
            json.WritePropertyName("lane");
            RecordWriter.Write(json, lane);
        }

        if (host.Sockets is { } sockets)
        {
            json.WriteStartObject("sockets");
            json.WriteNumber("open", sockets.Open);
            json.WriteNumber("closing", sockets.Closing);
            json.WriteNumber("dropped", sockets.Dropped);
            json.WriteEndObject();
        }

        json.WriteStartArray("capacity");
        foreach (var resource in host.Resources)
        {
            json.WriteStartObject();
            json.WriteString("name", resource.Name);
            json.WriteString("left", resource.Level);
            json.WriteBoolean("isShort", resource.State != FindingState.Full);
            RecordWriter.WriteText(json, "detail", resource.Detail);
            RecordWriter.WriteText(json, "nextStep", resource.NextStep);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteEndObject();
    }

    private static void Begin(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        json.WriteNumber("schema", RecordWriter.Schema);
    }

    private static void WriteOperation(Utf8JsonWriter json, OperationRow row)
    {
        json.WriteString("op", row.Operation.FullName);
        json.WriteString("where", RecordWriter.WhereOf(row.Operation));
        RecordWriter.WriteMembers(json, row);
    }

    private static void WriteCalls(Utf8JsonWriter json, string name, IReadOnlyList<KeptCall> calls)
    {
        json.WriteStartArray(name);
        foreach (var call in calls)
        {
            json.WriteStartObject();
            json.WriteNumber("t", RecordWriter.Moment(call.At));
            RecordWriter.WriteSeconds(json, "for", call.Times.Total.TotalSeconds);
            RecordWriter.WriteTimes(json, call.Times);
            json.WriteString("status", call.Status.ToString());
            RecordWriter.WriteText(json, "error", call.Error);
            RecordWriter.WriteText(json, "trace", call.TraceId == default ? null : call.TraceId.ToHexString());
            if (call.ProcessId != 0)
            {
                json.WriteNumber("pid", call.ProcessId);
            }

            RecordWriter.WriteText(json, "report", call.ReportId);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static void Write(Utf8JsonWriter json, WorkerDetail worker, DateTimeOffset now)
    {
        json.WriteStartObject();
        json.WriteNumber("pid", worker.Snapshot.ProcessId);
        json.WriteNumber("serial", worker.Snapshot.Serial);
        json.WriteString("state", worker.Snapshot.State);
        json.WriteNumber("calls", worker.Snapshot.CallsDone);
        if (worker.Started is { } started)
        {
            json.WriteNumber("generation", started.Generation);
            RecordWriter.WriteSeconds(json, "age", (now - started.At).TotalSeconds);
        }

        if (worker.MemoryBytes is { } memory)
        {
            json.WriteNumber("memory", memory);
        }

        RecordWriter.WriteText(json, "limits", worker.Snapshot.Limits?.ToString());
        json.WriteStartArray("running");
        foreach (var call in worker.Calls)
        {
            RecordWriter.Write(json, call);
        }

        json.WriteEndArray();
        json.WriteEndObject();
    }
}
