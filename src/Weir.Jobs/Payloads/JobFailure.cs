using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Weir.Jobs.Payloads;

/// <summary>
/// Why an attempt ended without success. Its stored form is one JSON object with these members by name, without those that are <c>null</c>, empty (but the content) or 0; members that are not known are ignored.
/// </summary>
internal sealed record JobFailure
{
    // Characters. A stack trace or a report that is longer is cut: the beginning of it says most.
    private const int MostText = 64 * 1024;

    // People read it in the store, and no browser gets it as it is.
    private static readonly JsonWriterOptions Readable = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>The full name of the exception's type; <c>null</c> where nothing was thrown.</summary>
    public string? Type { get; init; }

    /// <summary>What went wrong.</summary>
    public string Message { get; init; } = "";

    public string? Stack { get; init; }

    /// <summary>A constant of <see cref="WeirCodes"/>; <c>null</c> for an exception of the operation.</summary>
    public string? Code { get; init; }

    /// <summary>The HTTP status that an <see cref="OperationStatusException"/> chose; 0 for none.</summary>
    public int Status { get; init; }

    /// <summary>The content of an <see cref="OperationStatusException"/>; <c>null</c> for none.</summary>
    public string? Content { get; init; }

    public IReadOnlyDictionary<string, string>? Headers { get; init; }

    public string? Pool { get; init; }

    public int ProcessId { get; init; }

    /// <summary>How a worker failed.</summary>
    public string? Cause { get; init; }

    public string? ReportId { get; init; }

    /// <summary>The crash report itself.</summary>
    public string? Report { get; init; }

    public IReadOnlyList<BindingError> BindingErrors { get; init; } = [];

    /// <summary>Writes it.</summary>
    public byte[] Write()
    {
        var output = new ArrayBufferWriter<byte>(512);
        using (var json = new Utf8JsonWriter(output, Readable))
        {
            json.WriteStartObject();
            Text(json, "type", Type);
            Text(json, "message", Message);
            Text(json, "stack", Stack);
            Text(json, "code", Code);
            Number(json, "status", Status);
            if (Content is not null)
            {
                // An empty one is a content, too.
                json.WriteString("content", Content.AsSpan(0, Math.Min(Content.Length, MostText)));
            }

            if (Headers is { Count: > 0 })
            {
                json.WriteStartObject("headers");
                foreach (var (name, value) in Headers)
                {
                    json.WriteString(name, value);
                }

                json.WriteEndObject();
            }

            Text(json, "pool", Pool);
            Number(json, "processId", ProcessId);
            Text(json, "cause", Cause);
            Text(json, "reportId", ReportId);
            Text(json, "report", Report);
            if (BindingErrors.Count > 0)
            {
                json.WriteStartArray("bindingErrors");
                foreach (var error in BindingErrors)
                {
                    json.WriteStartObject();
                    json.WriteString("name", error.Name);
                    json.WriteString("source", error.Source);
                    json.WriteString("reason", error.Reason);
                    json.WriteString("expected", error.Expected);
                    json.WriteEndObject();
                }

                json.WriteEndArray();
            }

            json.WriteEndObject();
        }

        return output.WrittenSpan.ToArray();
    }

    /// <summary>Reads it. What cannot be read is a failure without details, so that its job can be shown.</summary>
    public static JobFailure Read(ReadOnlyMemory<byte> stored)
    {
        if (stored.IsEmpty)
        {
            return new JobFailure();
        }

        try
        {
            using var document = JsonDocument.Parse(stored);
            var root = document.RootElement;
            return new JobFailure
            {
                Type = Text(root, "type"),
                Message = Text(root, "message") ?? "",
                Stack = Text(root, "stack"),
                Code = Text(root, "code"),
                Status = Number(root, "status"),
                Content = Text(root, "content"),
                Headers = root.TryGetProperty("headers", out var headers) ? headers.EnumerateObject().ToDictionary(static one => one.Name, static one => one.Value.GetString()!, StringComparer.OrdinalIgnoreCase) : null,
                Pool = Text(root, "pool"),
                ProcessId = Number(root, "processId"),
                Cause = Text(root, "cause"),
                ReportId = Text(root, "reportId"),
                Report = Text(root, "report"),
                BindingErrors = root.TryGetProperty("bindingErrors", out var errors)
                    ? [.. errors.EnumerateArray().Select(static one => new BindingError(Text(one, "name") ?? "", Text(one, "source") ?? "", Text(one, "reason") ?? "", Text(one, "expected") ?? ""))]
                    : [],
            };
        }
        catch (Exception failure) when (failure is JsonException or InvalidOperationException)
        {
            return new JobFailure { Message = "What went wrong was stored, and cannot be read." };
        }
    }

    private static void Text(Utf8JsonWriter json, string name, string? value)
    {
        if (!string.IsNullOrEmpty(value))
        {
            json.WriteString(name, value.AsSpan(0, Math.Min(value.Length, MostText)));
        }
    }

    private static void Number(Utf8JsonWriter json, string name, int value)
    {
        if (value != 0)
        {
            json.WriteNumber(name, value);
        }
    }

    private static string? Text(JsonElement element, string name) => element.TryGetProperty(name, out var value) && value.ValueKind == JsonValueKind.String ? value.GetString() : null;

    private static int Number(JsonElement element, string name) => element.TryGetProperty(name, out var value) && value.TryGetInt32(out var number) ? number : 0;
}
