using System.Text.RegularExpressions;

namespace Weir.Cli.Observe;

/// <summary>The pages of codes that findings name, in the tool: at night no link may be needed. Those of the tool's version.</summary>
internal static partial class CodePages
{
    /// <summary>The codes that a text names, each once.</summary>
    public static IEnumerable<string> CodesIn(string text) => Code().Matches(text).Select(static match => match.Value).Distinct();

    /// <summary>The page of a code; <c>null</c> where the tool has none: it is newer, or no code of running applications.</summary>
    public static string? Find(string code)
    {
        using var stream = typeof(CodePages).Assembly.GetManifestResourceStream($"{code}.md");
        if (stream is null)
        {
            return null;
        }

        using var reader = new StreamReader(stream);
        return reader.ReadToEnd().ReplaceLineEndings("\n");
    }

    [GeneratedRegex("WEIR[0-9]{4}")]
    private static partial Regex Code();
}
