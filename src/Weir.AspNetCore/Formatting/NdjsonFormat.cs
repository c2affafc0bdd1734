using Microsoft.Extensions.Primitives;
using Weir.AspNetCore.Problems;
using Weir.Runtime;

namespace Weir.AspNetCore.Formatting;

/// <summary>
/// A stream as one JSON value a line. The marked form, requested by <c>weir=1</c>, reports in a last line how the stream
/// ended, and wraps an item that looks like such a line; other readers get only items.
/// </summary>
internal sealed class NdjsonFormat(string mediaType, bool marked) : IStreamFormat
{
    public string MediaType => mediaType;

    public string Extension => "ndjson";

    public StringValues ContentType { get; } = marked ? $"{mediaType}; weir=1" : mediaType;

    public bool? IsMarked => marked;

    public bool ReservesMember => marked;

    public bool IsResumable => marked;

    public void BeginItem(PayloadWriter output, long index, bool isFirst)
    {
    }

    public void EndItem(PayloadWriter output) => output.Write("\n"u8);

    public void WriteHeartbeat(PayloadWriter output) => output.Write("\n"u8);

    public void WriteEnd(PayloadWriter output, long count, bool isEmpty)
    {
        if (!marked)
        {
            return;
        }

        var json = output.BeginJson();
        json.WriteStartObject();
        json.WriteStartObject("$weir"u8);
        json.WriteBoolean("ok"u8, true);
        json.WriteNumber("count"u8, count);
        json.WriteEndObject();
        json.WriteEndObject();
        output.EndJson();
        output.Write("\n"u8);
    }

    public void WriteRetry(PayloadWriter output, TimeSpan wait, long index)
    {
        var json = output.BeginJson();
        json.WriteStartObject();
        json.WriteStartObject("$weir"u8);
        json.WriteNumber("retry"u8, (long)wait.TotalMilliseconds);
        json.WriteNumber("index"u8, index);
        json.WriteEndObject();
        json.WriteEndObject();
        output.EndJson();
        output.Write("\n"u8);
    }

    public bool TryWriteFailure(PayloadWriter output, in ProblemReport problem, long index)
    {
        if (!marked)
        {
            return false;
        }

        var json = output.BeginJson();
        json.WriteStartObject();
        json.WriteStartObject("$weir"u8);
        json.WriteStartObject("problem"u8);
        problem.WriteMembers(json);
        json.WriteEndObject();
        json.WriteNumber("index"u8, index);
        json.WriteEndObject();
        json.WriteEndObject();
        output.EndJson();
        output.Write("\n"u8);
        return true;
    }
}
