using System.Text.RegularExpressions;

namespace Weir.Tests.Architecture;

/// <summary>One page of documentation.</summary>
internal sealed partial class Page(string path, string text)
{
    public string Path { get; } = path;

    public string Text { get; } = text;

    /// <summary>Links to places in the repository, relative to its root.</summary>
    public IEnumerable<string> Links =>
        from Match match in LinkTarget().Matches(CodeSpan().Replace(Fence().Replace(Text, ""), "_"))
        let target = match.Groups["to"].Value
        where !target.Contains("://", StringComparison.Ordinal) && !target.StartsWith('#')
        select Resolve(target.Split('#')[0]);

    /// <summary>Paths that the text names in code spans, as <c>src/Weir.AspNetCore</c>; those with a placeholder are left out.</summary>
    public IEnumerable<string> NamedPaths =>
        from Match match in CodeSpan().Matches(Fence().Replace(Text, ""))
        let name = match.Value.Trim('`')
        where RepositoryPath().IsMatch(name)
        select name.TrimEnd('/');

    /// <summary>Tests that the text names, each with a link to its file around the name.</summary>
    public IEnumerable<(string Name, string File)> NamedTests =>
        from Match match in TestLink().Matches(Text)
        select (match.Groups["name"].Value, Resolve(match.Groups["to"].Value));

    /// <summary>Code of files that the text quotes, each below a comment such as <c>&lt;!-- sample: samples/Quickstart/Program.cs --&gt;</c>.</summary>
    public IEnumerable<(string File, string Code)> Quotations =>
        from Match match in Quotation().Matches(Text)
        select (match.Groups["file"].Value, match.Groups["code"].Value);

    private string Resolve(string target)
    {
        var folder = System.IO.Path.GetDirectoryName(Path) ?? "";
        return System.IO.Path.GetRelativePath(".", System.IO.Path.Combine(folder, target)).Replace('\\', '/');
    }

    [GeneratedRegex("^```(?<language>[a-z]*)\n(?<code>.*?)^```$", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Fence();

    [GeneratedRegex("`[^`\n]+`")]
    private static partial Regex CodeSpan();

    [GeneratedRegex(@"\]\((?<to>[^)\s]+)\)")]
    private static partial Regex LinkTarget();

    [GeneratedRegex(@"\[`(?<name>\w+)`\]\((?<to>[^)\s]+\.cs)\)")]
    private static partial Regex TestLink();

    [GeneratedRegex("^<!-- sample: (?<file>.+?) -->\n+```[a-z]*\n(?<code>.*?)^```$", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Quotation();

    [GeneratedRegex(@"^(src|tests|docs|samples|bench|workers)/[\w./-]+$")]
    private static partial Regex RepositoryPath();
}
