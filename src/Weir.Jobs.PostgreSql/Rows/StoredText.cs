using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Weir.Jobs.PostgreSql.Rows;

/// <summary>
/// Text as PostgreSQL can hold it: U+0000 and halves of surrogate pairs are escaped, and the two characters that begin an escape. What is stored has the order of what was written, by its code points.
/// </summary>
internal static class StoredText
{
    // Below all others that are stored, and between the last character below the surrogates and the first one above.
    private const char Low = '\u0001';
    private const char High = '\uE000';

    /// <summary>The form that is stored.</summary>
    [return: NotNullIfNotNull(nameof(text))]
    public static string? Write(string? text)
    {
        if (text is null)
        {
            return null;
        }

        for (var at = 0; at < text.Length; at++)
        {
            if (IsPair(text, at))
            {
                at++;
            }
            else if (IsEscaped(text[at]))
            {
                return Escape(text, at);
            }
        }

        return text;
    }

    /// <summary>What was written.</summary>
    [return: NotNullIfNotNull(nameof(stored))]
    public static string? Read(string? stored)
    {
        if (stored is null || stored.AsSpan().IndexOfAny(Low, High) is not (>= 0 and var first))
        {
            return stored;
        }

        var text = new StringBuilder(stored, 0, first, stored.Length);
        for (var at = first; at < stored.Length; at++)
        {
            text.Append(stored[at] switch
            {
                Low => (char)(stored[++at] - 1),
                High => stored[++at] == High ? High : (char)(stored[at] - 1 + 0xD800),
                var other => other,
            });
        }

        return text.ToString();
    }

    /// <summary>The order of stored text, as the database has it: by code points.</summary>
    public static int Compare(string a, string b)
    {
        for (var at = 0; at < a.Length && at < b.Length; at++)
        {
            if (a[at] != b[at])
            {
                return Rank(a[at]) - Rank(b[at]);
            }
        }

        return a.Length - b.Length;
    }

    // Pairs of surrogates are above everything else.
    private static int Rank(char one) => char.IsSurrogate(one) ? one + 0x10000 : one;

    private static bool IsPair(string text, int at) => at + 1 < text.Length && char.IsSurrogatePair(text[at], text[at + 1]);

    private static bool IsEscaped(char one) => one is '\0' or Low or High || char.IsSurrogate(one);

    private static string Escape(string text, int from)
    {
        var stored = new StringBuilder(text, 0, from, text.Length + 8);
        for (var at = from; at < text.Length; at++)
        {
            if (IsPair(text, at))
            {
                stored.Append(text, at++, 2);
            }
            else if (text[at] is '\0' or Low)
            {
                stored.Append(Low).Append((char)(text[at] + 1));
            }
            else if (text[at] == High)
            {
                stored.Append(High).Append(High);
            }
            else if (char.IsSurrogate(text[at]))
            {
                stored.Append(High).Append((char)(text[at] - 0xD800 + 1));
            }
            else
            {
                stored.Append(text[at]);
            }
        }

        return stored.ToString();
    }
}
