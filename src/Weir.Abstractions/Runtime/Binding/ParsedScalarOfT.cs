using System.Globalization;
using System.Text.Json;

namespace Weir.Runtime;

/// <summary>A value that its own type parses from text; in JSON, and on the way to a worker, the text of <c>ToString</c>.</summary>
internal sealed class ParsedScalar<T>(TextParser<T> parse) : Scalar<T>
{
    private static ParsedScalar<T>? _instance;

    public override string Expected => $"text of the type {typeof(T).Name}";

    internal static ParsedScalar<T> Of(TextParser<T> parse) => _instance ??= new ParsedScalar<T>(parse);

    public override bool TryParse(ReadOnlySpan<char> text, out T value) => parse(text.ToString(), out value) && value is not null;

    public override bool TryRead(ref Utf8JsonReader reader, out T value)
    {
        if (reader.TokenType == JsonTokenType.String && JsonValues.TextOf(ref reader) is { } text)
        {
            return TryParse(text, out value);
        }

        value = default!;
        return false;
    }

    public override void Write(PayloadWriter output, T value) =>
        Scalars.String.Write(output, (value is IFormattable formattable ? formattable.ToString(null, CultureInfo.InvariantCulture) : value?.ToString())!);
}
