using System.Text.Json;

namespace Weir.Runtime;

/// <summary>A scalar that is a string in JSON and has the same text everywhere.</summary>
internal sealed class TextScalar<T>(string expected, int longest, TextScalar<T>.Parser parse, Action<PayloadWriter, T> write) : Scalar<T>
{
    internal delegate bool Parser(ReadOnlySpan<char> text, out T value);

    public override string Expected => expected;

    public override bool TryParse(ReadOnlySpan<char> text, out T value) => parse(text, out value);

    public override bool TryRead(ref Utf8JsonReader reader, out T value)
    {
        // A character is at most six bytes of JSON (\uXXXX); anything longer cannot be a value.
        if (reader.TokenType != JsonTokenType.String || JsonValues.TokenLength(ref reader) > longest * 6)
        {
            value = default!;
            return false;
        }

        Span<char> text = stackalloc char[longest * 6];
        if (!JsonValues.TryCopyText(ref reader, text, out var length))
        {
            value = default!;
            return false;
        }

        return parse(text[..length], out value);
    }

    public override void Write(PayloadWriter output, T value) => write(output, value);
}
