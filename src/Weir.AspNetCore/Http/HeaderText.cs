namespace Weir.AspNetCore.Http;

/// <summary>Splits header values; text in quotation marks is never split (RFC 9110 §5.6).</summary>
internal static class HeaderText
{
    /// <summary>Removes the text before the next separator and returns it, without surrounding white space.</summary>
    internal static ReadOnlySpan<char> Take(scoped ref ReadOnlySpan<char> text, char separator)
    {
        var end = text.IndexOfAny(separator, '"');
        if (end >= 0 && text[end] == '"')
        {
            end = IndexOutsideQuotes(text, separator);
        }

        var part = end < 0 ? text : text[..end];
        text = end < 0 ? default : text[(end + 1)..];
        return part.Trim(" \t");
    }

    /// <summary>Splits <c>name=value</c>; the value is returned without its quotation marks.</summary>
    internal static bool TryGetParameter(ReadOnlySpan<char> part, out ReadOnlySpan<char> name, out ReadOnlySpan<char> value)
    {
        var equals = part.IndexOf('=');
        name = equals < 0 ? part : part[..equals].TrimEnd(" \t");
        value = equals < 0 ? default : part[(equals + 1)..].TrimStart(" \t");
        if (value.Length >= 2 && value[0] == '"' && value[^1] == '"')
        {
            value = value[1..^1];
        }

        return equals > 0;
    }

    private static int IndexOutsideQuotes(ReadOnlySpan<char> text, char separator)
    {
        var quoted = false;
        for (var i = 0; i < text.Length; i++)
        {
            if (text[i] == '"')
            {
                quoted = !quoted;
            }
            else if (quoted && text[i] == '\\')
            {
                i++;
            }
            else if (!quoted && text[i] == separator)
            {
                return i;
            }
        }

        return -1;
    }
}
