using Microsoft.Extensions.Primitives;
using Weir.AspNetCore.Http;
using Weir.Runtime;

namespace Weir.AspNetCore.Formatting;

/// <summary>A result of bytes as they are.</summary>
internal sealed class OctetStreamFormat : IResultFormat
{
    public string MediaType => MediaTypes.OctetStream;

    public string Extension => "bin";

    public StringValues ContentType { get; } = MediaTypes.OctetStream;

    public bool? IsMarked => null;

    public ResultEncoding Encoding => ResultEncoding.Raw;

    public void Write(Call call, PayloadWriter output) => call.WriteResult(output, ResultEncoding.Raw);
}
