using System.Globalization;

namespace Weir.Runtime;

/// <summary>One range of bytes, as the header <c>Range</c> names it (RFC 9110 §14.1.2).</summary>
internal static class ByteRange
{
    /// <summary>What a range selects of content whose length is known.</summary>
    /// <param name="header">The header's value.</param>
    /// <param name="length">How many bytes there are.</param>
    /// <param name="first">The first byte; -1 where the content has none of the range.</param>
    /// <param name="count">How many bytes.</param>
    /// <returns><c>false</c> where all of the content is to be sent: the header is invalid, has another unit, or names several ranges.</returns>
    internal static bool TrySelect(string header, long length, out long first, out long count)
    {
        (first, count) = (0, length);
        var rest = header.AsSpan().Trim(" \t");
        var equals = rest.IndexOf('=');
        if (equals < 0 || !rest[..equals].Equals("bytes", StringComparison.OrdinalIgnoreCase) || !TryTakeOnly(rest[(equals + 1)..], out var range))
        {
            return false;
        }

        var dash = range.IndexOf('-');
        if (dash < 0)
        {
            return false;
        }

        var from = range[..dash];
        var to = range[(dash + 1)..];
        return from.IsEmpty ? TrySelectLast(to, length, out first, out count) : TrySelect(from, to, length, out first, out count);
    }

    private static bool TrySelect(ReadOnlySpan<char> from, ReadOnlySpan<char> to, long length, out long first, out long count)
    {
        (first, count) = (0, length);
        var last = long.MaxValue;
        if (!TryRead(from, out var begin) || (!to.IsEmpty && !TryRead(to, out last)) || last < begin)
        {
            return false;
        }

        (first, count) = begin < length ? (begin, Math.Min(last, length - 1) - begin + 1) : (-1, 0);
        return true;
    }

    // Nothing can be the range of no bytes: then all of the content, which is nothing, is sent.
    private static bool TrySelectLast(ReadOnlySpan<char> wanted, long length, out long first, out long count)
    {
        (first, count) = (0, length);
        if (!TryRead(wanted, out var last) || (last > 0 && length == 0))
        {
            return false;
        }

        count = Math.Min(last, length);
        first = count > 0 ? length - count : -1;
        return true;
    }

    // Elements without a character are none (RFC 9110 §5.6.1).
    private static bool TryTakeOnly(ReadOnlySpan<char> list, out ReadOnlySpan<char> only)
    {
        only = default;
        foreach (var element in list.Split(','))
        {
            var range = list[element].Trim(" \t");
            if (range.IsEmpty)
            {
                continue;
            }

            if (!only.IsEmpty)
            {
                return false;
            }

            only = range;
        }

        return !only.IsEmpty;
    }

    // A number that no length reaches is a number all the same.
    private static bool TryRead(ReadOnlySpan<char> digits, out long value)
    {
        if (digits.IsEmpty || digits.ContainsAnyExceptInRange('0', '9'))
        {
            value = 0;
            return false;
        }

        value = long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : long.MaxValue;
        return true;
    }
}
