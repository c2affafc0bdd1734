using System.Buffers;

namespace Weir.Cli.Terminal;

/// <summary>Checks headers before anything is sent. What this tool sets by itself cannot be given.</summary>
internal static class HeaderText
{
    private static readonly SearchValues<char> Token = SearchValues.Create("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    private static readonly string[] OwnNames = ["Content-Length", "Transfer-Encoding", "Connection"];

    /// <summary>Reads a header as it was typed: <c>Name: value</c>.</summary>
    /// <param name="text">As it was typed.</param>
    /// <exception cref="InputException">It is none that can be sent.</exception>
    public static KeyValuePair<string, string> Parse(string text)
    {
        if (text.Split(':', 2) is not [var name, var value] || name.Length == 0)
        {
            throw new InputException($"--header is '{text}'; write 'Name: value'.");
        }

        // Blanks at the ends are no part of a value; other characters that look like blanks are not allowed in one.
        (name, value) = (name.Trim(' '), value.Trim(' ', '\t'));
        if (!IsName(name))
        {
            throw new InputException($"--header is '{text}'; a name consists of letters, digits and !#$%&'*+-.^_`|~ only.");
        }

        if (OwnNames.Contains(name, StringComparer.OrdinalIgnoreCase))
        {
            throw new InputException($"--header is '{text}', and '{name}' is set by weir itself; leave it out.");
        }

        return WrongIn(value) is { } wrong ? throw new InputException($"--header is '{text}'; its value {wrong}") : new(name, value);
    }

    /// <summary>Whether a header can have this name.</summary>
    public static bool IsName(string name) => name.Length > 0 && !name.AsSpan().ContainsAnyExcept(Token);

    /// <summary>Why a header cannot have this value; <c>null</c> if it can.</summary>
    public static string? WrongIn(string value) =>
        value.AsSpan().IndexOfAny('\r', '\n', '\0') >= 0 ? "has a line break or a zero byte, which would end the header."
        : value.Any(static letter => letter is not ('\t' or (>= ' ' and <= '~'))) ? "has a character that is no printable ASCII, which headers cannot have."
        : null;
}
