using Microsoft.Extensions.Primitives;
using Weir.AspNetCore.Http;
using Weir.Runtime;

namespace Weir.AspNetCore.Formatting;

/// <summary>A text result as it is.</summary>
internal sealed class TextFormat : IResultFormat
{
    public string MediaType => MediaTypes.Text;

    public string Extension => "txt";

    public StringValues ContentType { get; } = MediaTypes.TextUtf8;

    public bool? IsMarked => null;

    public ResultEncoding Encoding => ResultEncoding.Raw;

    public void Write(Call call, PayloadWriter output) => call.WriteResult(output, ResultEncoding.Raw);
}
