using System.Globalization;
using System.Text.Json;

namespace Weir.Runtime;

/// <summary>
/// A value that its own type parses from text. The text that arrived is what is sent on (<see cref="ParsedTexts{T}"/>); only a value that
/// came from code is written by its <c>ToString</c>. Both in the invariant culture, also where the type does not ask for one.
/// </summary>
internal sealed class ParsedScalar<T>(TextParser<T> parse, bool isWritten) : Scalar<T>
{
    private static ParsedScalar<T>? _instance;

    public override string Expected => $"text of the type {typeof(T).Name}";

    internal static ParsedScalar<T> Of(TextParser<T> parse, bool isWritten) => _instance ??= new ParsedScalar<T>(parse, isWritten);

    public override bool TryParse(ReadOnlySpan<char> text, out T value) => TryParse(text.ToString(), out value);

    public override bool TryRead(ref Utf8JsonReader reader, out T value) => TryRead(ref reader, out value, out _);

    /// <summary>Reads a value from text that is kept.</summary>
    internal bool TryParse(string text, out T value)
    {
        using var culture = new InvariantCulture();
        return parse(text, out value) && value is not null;
    }

    /// <summary>Reads a value from the current token, with its text.</summary>
    internal bool TryRead(ref Utf8JsonReader reader, out T value, out string text)
    {
        text = (reader.TokenType == JsonTokenType.String ? JsonValues.TextOf(ref reader) : null)!;
        if (text is not null)
        {
            return TryParse(text, out value);
        }

        value = default!;
        return false;
    }

    public override void Write(PayloadWriter output, T value)
    {
        if (!isWritten && value is not null)
        {
            throw new ArgumentException(
                $"A {typeof(T).Name} is read from text and cannot be written as text, so a value from code cannot go to another process: override ToString, so that it returns what TryParse reads, or implement IFormattable. See {WeirCodes.TextNotWritten}.",
                nameof(value));
        }

        Scalars.String.Write(output, TextOf(value)!);
    }

    private static string? TextOf(T value)
    {
        if (value is IFormattable formattable)
        {
            return formattable.ToString(null, CultureInfo.InvariantCulture);
        }

        using var culture = new InvariantCulture();
        return value?.ToString();
    }
}
