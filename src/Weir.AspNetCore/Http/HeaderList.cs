using System.Text;
using Microsoft.Extensions.Primitives;

namespace Weir.AspNetCore.Http;

/// <summary>Reads header values that are lists (RFC 9110 §5.6.1): elements between commas, over one or several headers of the name.</summary>
internal static class HeaderList
{
    /// <summary>
    /// The elements. White space around them is no part of them, and elements without a character are none; a quoted string is its content, which may be
    /// empty. <c>false</c> where a quoted string has no end.
    /// </summary>
    internal static bool TryRead(StringValues sent, out StringValues elements)
    {
        List<string>? found = null;
        foreach (var value in sent)
        {
            var rest = value.AsSpan();
            while (!rest.IsEmpty)
            {
                var element = HeaderText.Take(ref rest, ',');
                if (element.IsEmpty)
                {
                    continue;
                }

                if (!TryUnquote(element, out var text))
                {
                    elements = default;
                    return false;
                }

                (found ??= []).Add(text);
            }
        }

        elements = found switch
        {
            null => default,
            [var only] => new StringValues(only),
            _ => new StringValues([.. found]),
        };
        return true;
    }

    // An element that only begins with a quoted string is no quoted string.
    private static bool TryUnquote(ReadOnlySpan<char> element, out string text)
    {
        text = "";
        if (element[0] != '"')
        {
            text = element.ToString();
            return true;
        }

        var content = new StringBuilder(element.Length);
        for (var i = 1; i < element.Length; i++)
        {
            if (element[i] == '"')
            {
                text = i == element.Length - 1 ? content.ToString() : element.ToString();
                return true;
            }

            if (element[i] == '\\' && i + 1 < element.Length)
            {
                i++;
            }

            content.Append(element[i]);
        }

        return false;
    }
}
