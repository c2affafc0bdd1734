using System.Collections;
using System.Globalization;
using Microsoft.Extensions.Logging;
using Weir.Protocol.Payloads;

namespace Weir.Execution.Pools.Core;

/// <summary>One line or record of a worker, with its fields for a structured log: those of the record itself, then those of its worker.</summary>
/// <param name="level">Its level.</param>
/// <param name="id">Its event; none for a line that was printed.</param>
/// <param name="category">Its category; <c>null</c> is the pool's own.</param>
/// <param name="message">The text.</param>
/// <param name="processId">The worker.</param>
/// <param name="running">The call that ran.</param>
internal sealed class LogItem(LogLevel level, EventId id, string? category, string message, int processId, RunningCall running) : IReadOnlyList<KeyValuePair<string, object?>>
{
    private const string OriginalFormat = "{OriginalFormat}";

    private KeyValuePair<string, object?>[]? _fields;

    public LogLevel Level => level;

    public EventId Id => id;

    public string? Category => category;

    /// <summary>Template, values, scopes and trace of a record; <c>null</c> for a line, and for a record that is only text.</summary>
    public LogDetails? Details { get; init; }

    /// <summary>The exception's text; empty for none.</summary>
    public string Exception { get; init; } = "";

    public int Count => Fields.Length;

    public KeyValuePair<string, object?> this[int index] => Fields[index];

    private KeyValuePair<string, object?>[] Fields => _fields ??= Collect();

    public override string ToString() => running.CallId == 0
        ? $"{message} (worker {processId})"
        : $"{message} (worker {processId}, call {running.CallId}{(running.Operation is null ? "" : $" of {running.Operation.FullName}")})";

    public IEnumerator<KeyValuePair<string, object?>> GetEnumerator() => ((IEnumerable<KeyValuePair<string, object?>>)Fields).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>A value as the type that it had.</summary>
    public static object? ValueOf(in LogValue value) => value.Kind switch
    {
        LogValueKind.Null => null,
        LogValueKind.Integer when long.TryParse(value.Text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var whole) => whole,
        LogValueKind.Number when double.TryParse(value.Text, NumberStyles.Float, CultureInfo.InvariantCulture, out var number) => number,
        LogValueKind.Boolean => value.Text == "true",
        _ => value.Text,
    };

    private KeyValuePair<string, object?>[] Collect()
    {
        var fields = new List<KeyValuePair<string, object?>>();
        var hasTemplate = Details is { Template.Length: > 0 };
        foreach (var value in Details?.Values ?? [])
        {
            fields.Add(new(value.Name, ValueOf(value)));
        }

        // A value of the record wins over a field of its worker with the same name.
        if (!hasTemplate)
        {
            Add("Message", message);
        }

        Add("ProcessId", processId);
        Add("CallId", running.CallId);
        Add("Operation", running.Operation?.FullName);
        if (Details is { TraceId.Length: > 0 } traced)
        {
            Add("TraceId", traced.TraceId);
            Add("SpanId", traced.SpanId);
        }

        fields.Add(new(OriginalFormat, hasTemplate ? Details!.Template : "{Message} (worker {ProcessId}, call {CallId} of {Operation})"));
        return [.. fields];

        void Add(string name, object? value)
        {
            if (!fields.Exists(field => field.Key == name))
            {
                fields.Add(new(name, value));
            }
        }
    }
}
