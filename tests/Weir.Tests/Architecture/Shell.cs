namespace Weir.Tests.Architecture;

/// <summary>Lines that readers paste into a shell, and what it makes of them.</summary>
internal static class Shell
{
    private const string Prompt = "$ ";

    private static readonly string[] Commands = ["curl ", "weir ", "dotnet ", "wget "];

    /// <summary>The commands of a block of a page; a command that continues on further lines is one.</summary>
    /// <param name="language">The block's language: of <c>sh</c> and <c>bash</c> every line counts, of others those behind a prompt or that begin with a command.</param>
    /// <param name="code">The lines.</param>
    public static IEnumerable<string> LinesOf(string language, string code) =>
        from line in code.Replace("\\\n", " ").Split('\n')
        let isBehindPrompt = line.StartsWith(Prompt, StringComparison.Ordinal)
        where isBehindPrompt || language is "sh" or "bash" || IsCommand(line)
        select isBehindPrompt ? line[Prompt.Length..] : line;

    /// <summary>Whether a text begins with a command that the pages use.</summary>
    public static bool IsCommand(string text) => Commands.Any(command => text.StartsWith(command, StringComparison.Ordinal));

    /// <summary>The command in a line of code or of a comment; <c>null</c> where there is none.</summary>
    public static string? CommandIn(string line) => line.IndexOf("curl ", StringComparison.Ordinal) is >= 0 and var at ? line[at..] : null;

    /// <summary>Whether a shell replaces a variable in a line: it is not between single quotation marks, and has no backslash before it.</summary>
    /// <param name="line">A command.</param>
    /// <param name="variable">The variable, with its <c>$</c>.</param>
    public static bool Expands(string line, string variable)
    {
        var (isSingle, isDouble) = (false, false);
        for (var index = 0; index < line.Length; index++)
        {
            switch (line[index])
            {
                case '\'' when !isDouble:
                    isSingle = !isSingle;
                    break;
                case '"' when !isSingle:
                    isDouble = !isDouble;
                    break;
                case '\\' when !isSingle:
                    index++;
                    break;
                case '$' when !isSingle && line.AsSpan(index).StartsWith(variable, StringComparison.Ordinal):
                    return true;
            }
        }

        return false;
    }
}
