using System.Globalization;

namespace Weir.Runtime;

/// <summary>Compares what a reader knows of content with what the operation says of it (RFC 9110 §8.8.3.2 and §13.1).</summary>
internal static class EntityTags
{
    private const string Weak = "W/";

    /// <summary>Whether <c>If-None-Match</c> names the content. <c>*</c> names any; the comparison is the weak one.</summary>
    /// <param name="header">The header's value.</param>
    /// <param name="current">The entity tag of the content; <c>null</c> where it has none.</param>
    internal static bool Names(string header, string? current)
    {
        var rest = header.AsSpan().Trim(" \t");
        if (rest is "*")
        {
            return true;
        }

        if (current is null)
        {
            return false;
        }

        // A tag may have commas in its quotation marks.
        var known = Opaque(current.AsSpan().Trim(" \t"));
        while (!rest.IsEmpty)
        {
            rest = rest.TrimStart(" \t,");
            var tag = Opaque(rest);
            var end = tag.IsEmpty || tag[0] != '"' ? -1 : tag[1..].IndexOf('"');
            if (end < 0)
            {
                return false;
            }

            if (tag[..(end + 2)].SequenceEqual(known))
            {
                return true;
            }

            rest = tag[(end + 2)..];
        }

        return false;
    }

    /// <summary>Whether <c>If-Range</c> is true: the reader has a part of this very content. The comparison of entity tags is the strong one; a date must be the same.</summary>
    /// <param name="header">The header's value.</param>
    /// <param name="current">The entity tag of the content; <c>null</c> where it has none.</param>
    /// <param name="modified">The header <c>Last-Modified</c> of the content; <c>null</c> where it has none.</param>
    internal static bool IsUnchanged(string header, string? current, string? modified)
    {
        var value = header.AsSpan().Trim(" \t");
        return value.StartsWith("\"") ? current is not null && value.SequenceEqual(current.AsSpan().Trim(" \t"))
            : !value.StartsWith(Weak, StringComparison.Ordinal) && TryReadDate(value, out var known) && TryReadDate(modified, out var last) && known == last;
    }

    private static ReadOnlySpan<char> Opaque(ReadOnlySpan<char> tag) => tag.StartsWith(Weak, StringComparison.Ordinal) ? tag[Weak.Length..] : tag;

    private static bool TryReadDate(ReadOnlySpan<char> text, out DateTimeOffset date) =>
        DateTimeOffset.TryParseExact(text.Trim(" \t"), "r", CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out date);
}
