using System.Buffers;
using System.Globalization;
using System.Numerics;
using System.Text.Json;

namespace Weir.Runtime;

/// <summary>A number: JSON numbers only, never numbers in strings; no group separators, no white space, finite.</summary>
internal sealed class NumberScalar<T>(string expected, NumberStyles styles, NumberScalar<T>.TokenWriter write) : Scalar<T>
    where T : struct, INumberBase<T>
{
    private const int LongestToken = 512;

    internal delegate void TokenWriter(Utf8JsonWriter writer, T value);

    public override string Expected => expected;

    // The framework skips NUL characters after a number, whatever the styles.
    public override bool TryParse(ReadOnlySpan<char> text, out T value) =>
        T.TryParse(text, styles, CultureInfo.InvariantCulture, out value) && T.IsFinite(value) && text[^1] != '\0';

    public override bool TryRead(ref Utf8JsonReader reader, out T value)
    {
        if (reader.TokenType != JsonTokenType.Number)
        {
            value = default;
            return false;
        }

        if (!reader.HasValueSequence)
        {
            return T.TryParse(reader.ValueSpan, styles, CultureInfo.InvariantCulture, out value) && T.IsFinite(value);
        }

        if (reader.ValueSequence.Length > LongestToken)
        {
            value = default;
            return false;
        }

        Span<byte> token = stackalloc byte[(int)reader.ValueSequence.Length];
        reader.ValueSequence.CopyTo(token);
        return T.TryParse(token, styles, CultureInfo.InvariantCulture, out value) && T.IsFinite(value);
    }

    public override void Write(Utf8JsonWriter writer, T value) => write(writer, value);
}
