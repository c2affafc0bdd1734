namespace Weir.Client.Contracts;

/// <summary>A type as contracts write it: a name, or another type followed by <c>[]</c> or <c>{}</c>; with <c>?</c> behind it where null is a value.</summary>
internal readonly struct WireType
{
    private WireType(string inner, string? suffix, bool isNullable) => (Inner, Suffix, IsNullable) = (inner, suffix, isNullable);

    /// <summary>The type of the elements; the name where there is no suffix.</summary>
    internal string Inner { get; }

    /// <summary><c>[]</c>, <c>{}</c>, or <c>null</c>.</summary>
    internal string? Suffix { get; }

    internal bool IsNullable { get; }

    internal static WireType Parse(string text)
    {
        var isNullable = text.EndsWith("?", StringComparison.Ordinal);
        text = isNullable ? text.Substring(0, text.Length - 1) : text;
        var suffix = text.EndsWith("[]", StringComparison.Ordinal) ? "[]" : text.EndsWith("{}", StringComparison.Ordinal) ? "{}" : null;
        return new WireType(suffix is null ? text : text.Substring(0, text.Length - 2), suffix, isNullable);
    }
}
