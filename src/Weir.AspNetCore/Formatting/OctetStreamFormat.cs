using Microsoft.Extensions.Primitives;
using Weir.AspNetCore.Http;
using Weir.Runtime;

namespace Weir.AspNetCore.Formatting;

/// <summary>A result of bytes as they are.</summary>
/// <param name="contentType">What they are, where the operation says it.</param>
internal sealed class OctetStreamFormat(string contentType = MediaTypes.OctetStream) : IResultFormat
{
    public string MediaType { get; } = MediaTypes.WithoutParameters(contentType);

    public string Extension => "bin";

    public StringValues ContentType { get; } = contentType;

    public bool? IsMarked => null;

    public ResultEncoding Encoding => ResultEncoding.Raw;

    public void Write(Call call, PayloadWriter output) => call.WriteResult(output, ResultEncoding.Raw);
}
