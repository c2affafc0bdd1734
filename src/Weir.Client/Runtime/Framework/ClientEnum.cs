using System.ComponentModel;
using System.Globalization;

namespace Weir.Runtime;

/// <summary>
/// The rules of one enum in a client, filled in by the generator: names ignore case, flags are joined by commas, and a name that it does not declare is
/// an exception, or the declared fallback.
/// </summary>
/// <typeparam name="T">The enum.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class ClientEnum<T>
    where T : struct, Enum
{
    /// <summary>What a value looks like, for errors.</summary>
    public abstract string Expected { get; }

    /// <summary>Whether the enum is marked <see cref="FlagsAttribute"/>.</summary>
    protected virtual bool IsFlags => false;

    /// <summary>Whether the enum's underlying type is <see cref="ulong"/>.</summary>
    protected virtual bool IsUnsigned64 => false;

    /// <summary>The declared single values of a flags enum, as bits, highest first; empty for other enums.</summary>
    protected virtual ReadOnlySpan<long> FlagBits => default;

    /// <summary>The member marked <see cref="EnumFallbackAttribute"/>, as bits; <c>null</c> without one.</summary>
    protected virtual long? Fallback => null;

    /// <summary>Finds a declared name, ignoring case.</summary>
    /// <param name="name">One name.</param>
    /// <param name="bits">Its value.</param>
    protected abstract bool TryGetBits(ReadOnlySpan<char> name, out long bits);

    /// <summary>The declared name of a value; <c>null</c> when it has none.</summary>
    /// <param name="bits">The value.</param>
    protected abstract string? GetName(long bits);

    /// <summary>The enum value of bits.</summary>
    /// <param name="bits">The value.</param>
    protected abstract T FromBits(long bits);

    /// <summary>The bits of an enum value.</summary>
    /// <param name="value">The value.</param>
    protected abstract long ToBits(T value);

    /// <summary>The text of a value: its name, its names joined by commas, or its number.</summary>
    /// <param name="value">The value.</param>
    public string Text(T value)
    {
        var bits = ToBits(value);
        return GetName(bits) ?? (IsFlags && bits != 0 ? JoinNames(bits) : null)
            ?? (IsUnsigned64 ? ((ulong)bits).ToString(CultureInfo.InvariantCulture) : bits.ToString(CultureInfo.InvariantCulture));
    }

    /// <summary>Reads a value.</summary>
    /// <param name="text">A name, a number, or names joined by commas.</param>
    /// <param name="value">The value.</param>
    public bool TryParse(ReadOnlySpan<char> text, out T value)
    {
        var bits = 0L;
        while (true)
        {
            var comma = IsFlags ? text.IndexOf(',') : -1;
            var name = (comma < 0 ? text : text.Slice(0, comma)).Trim();
            if (!TryGetBits(name, out var bit) && !TryGetNumber(name, out bit))
            {
                bit = Fallback ?? throw new UnknownEnumValueException(typeof(T).Name, name.ToString(), "");
            }

            bits |= bit;
            if (comma < 0)
            {
                value = FromBits(bits);
                return true;
            }

            text = text.Slice(comma + 1);
        }
    }

    private bool TryGetNumber(ReadOnlySpan<char> text, out long bits)
    {
        if (!long.TryParse(text.ToString(), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out bits))
        {
            if (!IsUnsigned64 || !ulong.TryParse(text.ToString(), NumberStyles.None, CultureInfo.InvariantCulture, out var large))
            {
                return false;
            }

            bits = unchecked((long)large);
        }

        return GetName(bits) is not null || (IsFlags && (bits == 0 || JoinNames(bits) is not null));
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

        names.Reverse();
        return bits != 0 ? null : string.Join(",", names);
    }
}
