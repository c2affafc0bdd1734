using System.Buffers;
using System.Globalization;
using System.Numerics;
using System.Text.Json;

namespace Weir.Runtime;

/// <summary>A number: JSON numbers only, never numbers in strings; no group separators, no white space, finite.</summary>
internal sealed class NumberScalar<T>(string expected, NumberStyles styles) : Scalar<T>
    where T : struct, INumberBase<T>
{
    private const int LongestToken = 512;

    // That of a decimal: a sign, 29 digits and a point, or a zero in front of 28 digits.
    private const int LongestWritten = 31;

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

    internal override bool TryReadNamed(ref Utf8JsonReader reader, out T value)
    {
        value = default;
        return reader.TokenType == JsonTokenType.String && !reader.HasValueSequence && reader.ValueSpan.IndexOfAnyInRange((byte)'0', (byte)'9') < 0
            && T.TryParse(reader.ValueSpan, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out value) && !T.IsFinite(value);
    }

    public override void Write(PayloadWriter output, T value)
    {
        if (!T.IsFinite(value) && output.IsForWorker)
        {
            output.Write(T.IsNaN(value) ? "\"NaN\""u8 : T.IsNegative(value) ? "\"-Infinity\""u8 : "\"Infinity\""u8);
            return;
        }

        if (!T.IsFinite(value))
        {
            throw new ArgumentException($"{value} is no number in JSON; use a finite number, or null where there is none.", nameof(value));
        }

        value.TryFormat(output.GetSpan(LongestWritten), out var length, default, CultureInfo.InvariantCulture);
        output.Advance(length);
    }
}
