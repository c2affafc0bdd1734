using Microsoft.Extensions.Primitives;
using Weir.AspNetCore.Http;
using Weir.AspNetCore.Problems;
using Weir.Runtime;

namespace Weir.AspNetCore.Formatting;

/// <summary>A stream of bytes as they are: nothing between the items, and nothing after them. Only an abort says that it is cut.</summary>
/// <param name="contentType">What they are, where the operation says it.</param>
internal sealed class RawStreamFormat(string contentType = MediaTypes.OctetStream) : IStreamFormat
{
    public string MediaType { get; } = MediaTypes.WithoutParameters(contentType);

    public string Extension => "bin";

    public StringValues ContentType { get; } = contentType;

    public bool? IsMarked => null;

    public bool HasHeartbeat => false;

    public void BeginItem(PayloadWriter output, long index, bool isFirst)
    {
    }

    public void EndItem(PayloadWriter output)
    {
    }

    public void WriteHeartbeat(PayloadWriter output)
    {
    }

    public void WriteEnd(PayloadWriter output, long count, bool isEmpty)
    {
    }

    public bool TryWriteFailure(PayloadWriter output, in ProblemReport problem, long index) => false;
}
