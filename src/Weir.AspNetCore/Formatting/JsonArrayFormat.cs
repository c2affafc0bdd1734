using Microsoft.Extensions.Primitives;
using Weir.AspNetCore.Http;
using Weir.AspNetCore.Problems;
using Weir.Runtime;

namespace Weir.AspNetCore.Formatting;

/// <summary>A stream as one JSON array. It cannot express a failure: after one the array is never closed.</summary>
internal sealed class JsonArrayFormat : IStreamFormat
{
    public string MediaType => MediaTypes.Json;

    public string Extension => "json";

    public StringValues ContentType { get; } = MediaTypes.Json;

    public bool? IsMarked => null;

    public void BeginItem(PayloadWriter output, long index, bool isFirst) => output.Write(isFirst ? "["u8 : ","u8);

    public void EndItem(PayloadWriter output)
    {
    }

    // White space may stand between any two tokens, and before the first.
    public void WriteHeartbeat(PayloadWriter output) => output.Write(" "u8);

    public void WriteEnd(PayloadWriter output, long count, bool isEmpty) => output.Write(isEmpty ? "[]"u8 : "]"u8);

    public bool TryWriteFailure(PayloadWriter output, in ProblemReport problem, long index) => false;
}
