using System.Buffers;
using System.Globalization;
using System.Text;

namespace Weir.Cli.Terminal;

/// <summary>Text that cannot command a terminal: what moves its cursor, changes its colors or turns the order of letters is shown as <c>\u001b</c>.</summary>
internal static class SafeText
{
    private static readonly SearchValues<char> Plain = SearchValues.Create(" !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~");

    /// <summary>The text with the characters that are not safe as <c>\uXXXX</c>.</summary>
    /// <param name="text">Of anyone.</param>
    /// <param name="keepsLines">Whether ends of lines and tabs stay.</param>
    public static string Of(string text, bool keepsLines)
    {
        var from = text.AsSpan().IndexOfAnyExcept(Plain);
        if (from < 0)
        {
            return text;
        }

        StringBuilder? safe = null;
        for (var i = from; i < text.Length; i++)
        {
            if (IsSafe(text, i, keepsLines))
            {
                safe?.Append(text[i]);
            }
            else
            {
                safe ??= new StringBuilder(text, 0, i, text.Length + 16);
                safe.Append(CultureInfo.InvariantCulture, $"\\u{(int)text[i]:x4}");
            }
        }

        return safe?.ToString() ?? text;
    }

    /// <summary>At most so many characters of it; what is left out is said.</summary>
    public static string Cut(string text, int most) => text.Length <= most ? text : string.Create(CultureInfo.InvariantCulture, $"{text.AsSpan(0, most)}… ({text.Length - most:N0} more characters)");

    private static bool IsSafe(string text, int index, bool keepsLines) => text[index] switch
    {
        '\n' or '\t' => keepsLines,
        '\r' => keepsLines && index + 1 < text.Length && text[index + 1] == '\n',

        // These join letters of many scripts, and emoji.
        '\u200c' or '\u200d' => true,
        var letter => char.GetUnicodeCategory(letter) is not (UnicodeCategory.Control or UnicodeCategory.Format or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator),
    };
}
