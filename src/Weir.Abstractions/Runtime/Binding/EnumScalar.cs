using System.ComponentModel;
using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Weir.Runtime;

/// <summary>
/// The rules of one enum, filled in by the generator: names ignore case, only declared numbers are values, and
/// flags accept only combinations of declared bits, as a number or as <c>A,B</c>. Written as names.
/// </summary>
/// <typeparam name="T">The enum.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class EnumScalar<T> : Scalar<T>
    where T : struct, Enum
{
    private const int LongestText = 1024;

    // 64 names joined.
    private const int LongestNames = 64 * LongestText;

    /// <summary>Whether the enum is marked <see cref="FlagsAttribute"/>.</summary>
    protected virtual bool IsFlags => false;

    /// <summary>Whether the enum's underlying type is <see cref="ulong"/>.</summary>
    protected virtual bool IsUnsigned64 => false;

    /// <summary>The declared single values of a flags enum, as bits, highest first; empty for other enums.</summary>
    protected virtual ReadOnlySpan<long> FlagBits => default;

    /// <summary>Finds a declared name, ignoring case.</summary>
    /// <param name="name">One name.</param>
    /// <param name="bits">Its value.</param>
    protected abstract bool TryGetBits(ReadOnlySpan<char> name, out long bits);

    /// <summary>What a name or number stands for that the enum does not declare. Here nothing: it is a binding error. A client decides otherwise.</summary>
    /// <param name="text">One name, or one number.</param>
    /// <param name="bits">The value that takes its place.</param>
    protected virtual bool TryGetUnknown(ReadOnlySpan<char> text, out long bits)
    {
        bits = 0;
        return false;
    }

    /// <summary>The declared name of a value; <c>null</c> when it has none.</summary>
    /// <param name="bits">The value.</param>
    protected abstract string? GetName(long bits);

    /// <summary>The enum value of bits.</summary>
    /// <param name="bits">The value.</param>
    protected abstract T FromBits(long bits);

    /// <summary>The bits of an enum value.</summary>
    /// <param name="value">The value.</param>
    protected abstract long ToBits(T value);

    /// <inheritdoc/>
    public sealed override bool TryParse(ReadOnlySpan<char> text, out T value)
    {
        var known = text.Length > 0 && (char.IsAsciiDigit(text[0]) || text[0] == '-')
            ? TryParseNumber(text, out var bits) || TryGetUnknown(text, out bits)
            : IsFlags ? TryParseNames(text, out bits) : TryGetBits(text, out bits) || TryGetUnknown(text, out bits);
        value = known ? FromBits(bits) : default;
        return known;
    }

    /// <inheritdoc/>
    public sealed override bool TryRead(ref Utf8JsonReader reader, out T value)
    {
        value = default;
        if (reader.TokenType is not (JsonTokenType.String or JsonTokenType.Number))
        {
            return false;
        }

        // Many names joined may be long, and longer still where each character is escaped.
        var longest = JsonValues.TokenLength(ref reader);
        if (longest > (IsFlags ? LongestNames : LongestText))
        {
            return false;
        }

        Span<char> text = longest > LongestText ? new char[longest] : stackalloc char[LongestText];
        if (reader.TokenType == JsonTokenType.String)
        {
            if (!JsonValues.TryCopyText(ref reader, text, out var length))
            {
                return false;
            }

            text = text[..length];
            // A number in a string is text, and not a valid text of this enum.
            return (text.IsEmpty || !(char.IsAsciiDigit(text[0]) || text[0] == '-')) && TryParse(text, out value);
        }

        text = text[..JsonValues.CopyToken(ref reader, text)];
        return TryParse(text, out value);
    }

    /// <inheritdoc/>
    public sealed override void Write(PayloadWriter output, T value)
    {
        if (Format(value) is { } name)
        {
            JsonString.Write(output, name);
        }
        else if (IsUnsigned64)
        {
            Scalars.UInt64.Write(output, (ulong)ToBits(value));
        }
        else
        {
            Scalars.Int64.Write(output, ToBits(value));
        }
    }

    /// <summary>Writes a value for the serializer, whose options may escape more text.</summary>
    /// <param name="writer">Where a value may stand.</param>
    /// <param name="value">The value.</param>
    public void Write(Utf8JsonWriter writer, T value)
    {
        ArgumentNullException.ThrowIfNull(writer);
        if (Format(value) is { } name)
        {
            writer.WriteStringValue(name);
        }
        else if (IsUnsigned64)
        {
            writer.WriteNumberValue((ulong)ToBits(value));
        }
        else
        {
            writer.WriteNumberValue(ToBits(value));
        }
    }

    /// <summary>The name of a value, or its names joined by commas for flags; <c>null</c> for an undeclared value.</summary>
    /// <param name="value">Any value of the enum's type.</param>
    public string? Format(T value)
    {
        var bits = ToBits(value);
        return GetName(bits) ?? (IsFlags && bits != 0 ? JoinNames(bits) : null);
    }

    private bool TryParseNumber(ReadOnlySpan<char> text, out long bits)
    {
        // The framework skips NUL characters after a number, whatever the styles.
        if (text[^1] == '\0')
        {
            bits = 0;
            return false;
        }

        if (!long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out bits))
        {
            if (!IsUnsigned64 || !ulong.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var large))
            {
                return false;
            }

            bits = (long)large;
        }
        else if (IsUnsigned64 && bits < 0)
        {
            return false;
        }

        // A number beyond the underlying type would be cut to another value.
        return ToBits(FromBits(bits)) == bits && (IsFlags ? IsCombination(bits) : GetName(bits) is not null);
    }

    private bool TryParseNames(ReadOnlySpan<char> text, out long bits)
    {
        bits = 0;
        if (text.Length > 0 && (text[0] == ' ' || text[^1] == ' '))
        {
            // As for an enum without flags. Blanks at the commas are what .NET itself writes.
            return false;
        }

        while (true)
        {
            var comma = text.IndexOf(',');
            var name = (comma < 0 ? text : text[..comma]).Trim(' ');
            if (!TryGetBits(name, out var bit) && !TryGetUnknown(name, out bit))
            {
                return false;
            }

            bits |= bit;
            if (comma < 0)
            {
                return true;
            }

            text = text[(comma + 1)..];
        }
    }

    private bool IsCombination(long bits)
    {
        var declared = 0L;
        foreach (var flag in FlagBits)
        {
            declared |= flag;
        }

        return (bits & ~declared) == 0;
    }

    private string? JoinNames(long bits)
    {
        var names = new List<string>();
        foreach (var flag in FlagBits)
        {
            if (flag != 0 && (bits & flag) == flag)
            {
                bits &= ~flag;
                names.Add(GetName(flag)!);
            }
        }

        if (bits != 0)
        {
            return null;
        }

        names.Reverse();
        return new StringBuilder().AppendJoin(',', names).ToString();
    }
}
