using Weir.AspNetCore.Http;

namespace Weir.AspNetCore.Formatting;

/// <summary>One element of <c>Accept</c>: a type, a quality in thousandths, and whether it has <c>weir=1</c>.</summary>
internal readonly ref struct MediaRange
{
    private const int FullQuality = 1000;

    private readonly ReadOnlySpan<char> _type;
    private readonly bool _isMarked;

    private MediaRange(ReadOnlySpan<char> type, bool isMarked, int quality)
    {
        _type = type;
        _isMarked = isMarked;
        Quality = quality;
    }

    /// <summary>0 to 1000; 0 refuses.</summary>
    internal int Quality { get; }

    /// <summary>How closely this range matches a format: higher is closer, -1 not at all.</summary>
    internal int Closeness(IFormat format)
    {
        if (format.IsMarked is { } marked && marked != _isMarked)
        {
            return -1;
        }

        if (_type is "*/*")
        {
            return 0;
        }

        var type = format.MediaType.AsSpan();
        return _type.EndsWith("/*")
            ? type.StartsWith(_type[..^1], StringComparison.OrdinalIgnoreCase) ? 1 : -1
            : type.Equals(_type, StringComparison.OrdinalIgnoreCase) ? 2 : -1;
    }

    /// <summary>Reads one element; a malformed one is ignored.</summary>
    internal static bool TryParse(ReadOnlySpan<char> element, out MediaRange range)
    {
        range = default;
        var type = HeaderText.Take(ref element, ';');
        var slash = type.IndexOf('/');
        if (slash <= 0 || slash == type.Length - 1 || (type[0] == '*' && type is not "*/*"))
        {
            return false;
        }

        var quality = FullQuality;
        var marked = false;
        while (!element.IsEmpty)
        {
            if (!HeaderText.TryGetParameter(HeaderText.Take(ref element, ';'), out var name, out var value))
            {
                continue;
            }

            if (name.Equals("q", StringComparison.OrdinalIgnoreCase))
            {
                if (!TryParseQuality(value, out quality))
                {
                    return false;
                }
            }
            else if (name.Equals("weir", StringComparison.OrdinalIgnoreCase))
            {
                marked = value is "1";
            }
        }

        range = new MediaRange(type, marked, quality);
        return true;
    }

    // RFC 9110 §12.4.2: 0 to 1 with at most three decimals. ".2" is not in the grammar and is widely sent.
    private static bool TryParseQuality(ReadOnlySpan<char> text, out int quality)
    {
        quality = 0;
        var point = text.IndexOf('.');
        var whole = point < 0 ? text : text[..point];
        var decimals = point < 0 ? default : text[(point + 1)..];
        if (decimals.Length > 3 || (whole.IsEmpty && decimals.IsEmpty) || whole is not ("" or "0" or "1"))
        {
            return false;
        }

        var worth = FullQuality;
        quality = whole is "1" ? FullQuality : 0;
        foreach (var digit in decimals)
        {
            if (!char.IsAsciiDigit(digit))
            {
                return false;
            }

            worth /= 10;
            quality += (digit - '0') * worth;
        }

        return quality <= FullQuality;
    }
}
