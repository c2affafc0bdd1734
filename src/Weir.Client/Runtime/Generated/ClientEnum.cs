using System.ComponentModel;
using System.Globalization;

namespace Weir.Runtime;

/// <summary>The rules of one enum in a client: as on the server, but a name that it does not declare is another exception, or the declared fallback.</summary>
/// <typeparam name="T">The enum.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class ClientEnum<T> : EnumScalar<T>
    where T : struct, Enum
{
    /// <summary>The member marked <see cref="EnumFallbackAttribute"/>, as bits; <c>null</c> without one.</summary>
    protected virtual long? Fallback => null;

    /// <summary>The text of a value in a path, query, header or form.</summary>
    /// <param name="value">The value.</param>
    public string Text(T value) => Format(value) ?? (IsUnsigned64 ? ((ulong)ToBits(value)).ToString(CultureInfo.InvariantCulture) : ToBits(value).ToString(CultureInfo.InvariantCulture));

    /// <inheritdoc/>
    protected override bool TryGetUnknown(ReadOnlySpan<char> text, out long bits)
    {
        if (Fallback is { } declared)
        {
            bits = declared;
            return true;
        }

        throw new UnknownEnumValueException(typeof(T).Name, text.ToString(), "");
    }
}
