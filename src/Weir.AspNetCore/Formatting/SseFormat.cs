using System.Globalization;
using Microsoft.Extensions.Primitives;
using Weir.AspNetCore.Http;
using Weir.AspNetCore.Problems;
using Weir.Runtime;

namespace Weir.AspNetCore.Formatting;

/// <summary>
/// A stream as server-sent events: an event per item, numbered by <c>id</c>; then <c>end</c> or <c>problem</c>, whose id
/// <see cref="EndId"/> a reconnecting <c>EventSource</c> sends back.
/// </summary>
/// <param name="stream">What is before the index in an item's id; <c>null</c> for nothing.</param>
internal sealed class SseFormat(string? stream = null) : IStreamFormat
{
    /// <summary>The id of the last event: a client that sends it has received everything.</summary>
    internal const string EndId = "$end";

    public string MediaType => MediaTypes.EventStream;

    public string Extension => "sse";

    public StringValues ContentType { get; } = MediaTypes.EventStream;

    public bool? IsMarked => null;

    public bool IsResumable => true;

    public void BeginItem(PayloadWriter output, long index, bool isFirst)
    {
        WriteId(output, index);
        output.Write("data: "u8);
    }

    public void EndItem(PayloadWriter output) => output.Write("\n\n"u8);

    public void WriteHeartbeat(PayloadWriter output) => output.Write(": \n\n"u8);

    public void WriteEnd(PayloadWriter output, long count, bool isEmpty)
    {
        output.Write("id: $end\nevent: end\ndata: "u8);
        var json = output.BeginJson();
        json.WriteStartObject();
        json.WriteNumber("count"u8, count);
        json.WriteEndObject();
        output.EndJson();
        output.Write("\n\n"u8);
    }

    // An event without data: a reader takes its id and its time, and dispatches nothing.
    public void WriteRetry(PayloadWriter output, TimeSpan wait, long index)
    {
        output.Write("retry: "u8);
        WriteNumber(output, (long)wait.TotalMilliseconds);
        output.Write("\n"u8);
        if (index > 0 || stream is not null)
        {
            WriteId(output, index - 1);
        }

        output.Write("\n"u8);
    }

    public bool TryWriteFailure(PayloadWriter output, in ProblemReport problem, long index)
    {
        output.Write("id: $end\nevent: problem\ndata: "u8);
        var json = output.BeginJson();
        json.WriteStartObject();
        problem.WriteMembers(json);
        json.WriteNumber("index"u8, index);
        json.WriteEndObject();
        output.EndJson();
        output.Write("\n\n"u8);
        return true;
    }

    private void WriteId(PayloadWriter output, long index)
    {
        output.Write("id: "u8);
        if (stream is not null)
        {
            output.WriteText(stream);
            output.Write("."u8);
        }

        WriteNumber(output, index);
        output.Write("\n"u8);
    }

    private static void WriteNumber(PayloadWriter output, long number)
    {
        number.TryFormat(output.GetSpan(20), out var length, provider: CultureInfo.InvariantCulture);
        output.Advance(length);
    }
}
