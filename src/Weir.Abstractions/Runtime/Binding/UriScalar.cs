using System.Text.Json;

namespace Weir.Runtime;

/// <summary>An absolute or relative URI; written as it was given.</summary>
internal sealed class UriScalar : Scalar<Uri>
{
    public override string Expected => "a URI";

    public override bool TryParse(ReadOnlySpan<char> text, out Uri value) => Uri.TryCreate(text.ToString(), UriKind.RelativeOrAbsolute, out value!);

    public override bool TryRead(ref Utf8JsonReader reader, out Uri value)
    {
        value = null!;
        return reader.TokenType == JsonTokenType.String && JsonValues.TextOf(ref reader) is { } text && TryParse(text, out value);
    }

    public override void Write(PayloadWriter output, Uri value) => Scalars.String.Write(output, value?.OriginalString!);
}
