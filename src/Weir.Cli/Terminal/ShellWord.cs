namespace Weir.Cli.Terminal;

/// <summary>A word of a command that is shown, so that it can be typed.</summary>
internal static class ShellWord
{
    /// <summary>The word for a POSIX shell: in quotes where that would change it.</summary>
    public static string Of(string word) =>
        word.Length > 0 && word.All(static letter => char.IsAsciiLetterOrDigit(letter) || "-_./:@%+=,".Contains(letter, StringComparison.Ordinal))
            ? word
            : $"'{word.Replace("'", "'\\''", StringComparison.Ordinal)}'";
}
