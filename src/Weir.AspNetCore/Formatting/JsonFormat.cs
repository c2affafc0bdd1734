using Microsoft.Extensions.Primitives;
using Weir.AspNetCore.Http;
using Weir.Runtime;

namespace Weir.AspNetCore.Formatting;

/// <summary>A result as one JSON value.</summary>
internal sealed class JsonFormat : IResultFormat
{
    public string MediaType => MediaTypes.Json;

    public string Extension => "json";

    public StringValues ContentType { get; } = MediaTypes.Json;

    public bool? IsMarked => null;

    public ResultEncoding Encoding => ResultEncoding.Json;

    public void Write(Call call, PayloadWriter output) => call.WriteResult(output, ResultEncoding.Json);
}
