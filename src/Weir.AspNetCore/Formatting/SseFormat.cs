using System.Globalization;
using Microsoft.Extensions.Primitives;
using Weir.AspNetCore.Http;
using Weir.AspNetCore.Problems;
using Weir.Runtime;

namespace Weir.AspNetCore.Formatting;

/// <summary>
/// A stream as server-sent events: an event per item, numbered by <c>id</c>; then <c>end</c> or <c>error</c>, whose id
/// <see cref="EndId"/> a reconnecting <c>EventSource</c> sends back.
/// </summary>
internal sealed class SseFormat : IStreamFormat
{
    /// <summary>The id of the last event: a client that sends it has received everything.</summary>
    internal const string EndId = "$end";

    public string MediaType => MediaTypes.EventStream;

    public string Extension => "sse";

    public StringValues ContentType { get; } = MediaTypes.EventStream;

    public bool? IsMarked => null;

    public void BeginItem(PayloadWriter output, long index)
    {
        output.Write("id: "u8);
        index.TryFormat(output.GetSpan(20), out var length, provider: CultureInfo.InvariantCulture);
        output.Advance(length);
        output.Write("\ndata: "u8);
    }

    public void EndItem(PayloadWriter output) => output.Write("\n\n"u8);

    public void WriteHeartbeat(PayloadWriter output) => output.Write(": \n\n"u8);

    public void WriteEnd(PayloadWriter output, long count)
    {
        output.Write("id: $end\nevent: end\ndata: "u8);
        var json = output.BeginJson();
        json.WriteStartObject();
        json.WriteNumber("count"u8, count);
        json.WriteEndObject();
        output.EndJson();
        output.Write("\n\n"u8);
    }

    public bool TryWriteFailure(PayloadWriter output, in ProblemReport problem, long index)
    {
        output.Write("id: $end\nevent: error\ndata: "u8);
        var json = output.BeginJson();
        json.WriteStartObject();
        problem.WriteMembers(json);
        json.WriteNumber("index"u8, index);
        json.WriteEndObject();
        output.EndJson();
        output.Write("\n\n"u8);
        return true;
    }
}
