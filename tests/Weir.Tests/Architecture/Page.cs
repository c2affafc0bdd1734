using System.Text.RegularExpressions;

namespace Weir.Tests.Architecture;

/// <summary>One page of documentation.</summary>
internal sealed partial class Page(string path, string text)
{
    public string Path { get; } = path;

    public string Text { get; } = text;

    /// <summary>Links to places in the repository, relative to its root.</summary>
    public IEnumerable<string> Links =>
        from target in Targets
        where !target.StartsWith('#')
        select Resolve(target.Split('#')[0]);

    /// <summary>Links to headings, of this page and of others: the page, relative to the root of the repository, and the anchor.</summary>
    public IEnumerable<(string Page, string Anchor)> AnchorLinks =>
        from target in Targets
        where target.Contains('#')
        let parts = target.Split('#', 2)
        select (parts[0] == "" ? Path : Resolve(parts[0]), parts[1]);

    /// <summary>The anchors of the page's headings, as GitHub derives them; one that comes again has a number behind it.</summary>
    public IReadOnlySet<string> Anchors
    {
        get
        {
            var anchors = new HashSet<string>();
            foreach (Match heading in Heading().Matches(Fence().Replace(Text, "")))
            {
                var anchor = AnchorOf(heading.Groups["text"].Value);
                for (var number = 0; !anchors.Add(number == 0 ? anchor : $"{anchor}-{number}"); number++)
                {
                }
            }

            return anchors;
        }
    }

    /// <summary>Paths that the text names in code spans, as <c>src/Weir.AspNetCore</c>; those with a placeholder are left out.</summary>
    public IEnumerable<string> NamedPaths =>
        from Match match in CodeSpan().Matches(Fence().Replace(Text, ""))
        let name = match.Value.Trim('`')
        where RepositoryPath().IsMatch(name)
        select name.TrimEnd('/');

    /// <summary>Commands of a shell: those of blocks, and code spans that are one.</summary>
    public IEnumerable<string> ShellLines =>
    [
        .. from Match block in Fence().Matches(Text)
           from line in Shell.LinesOf(block.Groups["language"].Value, block.Groups["code"].Value)
           select line,
        .. from Match match in CodeSpan().Matches(Fence().Replace(Text, ""))
           let span = match.Value.Trim('`')
           where Shell.IsCommand(span)
           select span,
    ];

    /// <summary>Tests that the text names, each with a link to its file around the name.</summary>
    public IEnumerable<(string Name, string File)> NamedTests =>
        from Match match in TestLink().Matches(Text)
        select (match.Groups["name"].Value, Resolve(match.Groups["to"].Value));

    /// <summary>Code of files that the text quotes, each below a comment such as <c>&lt;!-- sample: samples/Quickstart/Program.cs --&gt;</c>.</summary>
    public IEnumerable<(string File, string Code)> Quotations =>
        from Match match in Quotation().Matches(Text)
        select (match.Groups["file"].Value, match.Groups["code"].Value);

    /// <summary>What the page links to, without the addresses of other sites.</summary>
    private IEnumerable<string> Targets =>
        from Match match in LinkTarget().Matches(CodeSpan().Replace(Fence().Replace(Text, ""), "_"))
        let target = match.Groups["to"].Value
        where !target.Contains("://", StringComparison.Ordinal) || target.StartsWith(Repository.Pages, StringComparison.Ordinal)
        select target;

    private static string AnchorOf(string heading) =>
        string.Concat(
            from character in LinkWithText().Replace(heading, "${text}").Trim().ToLowerInvariant()
            where char.IsLetterOrDigit(character) || character is '-' or '_' or ' '
            select character == ' ' ? '-' : character);

    private string Resolve(string target)
    {
        if (target.StartsWith(Repository.Pages, StringComparison.Ordinal))
        {
            // Such as …/blob/main/CHANGELOG.md, or the address of the repository itself, which shows its README.
            var path = target[Repository.Pages.Length..].Trim('/').Split('/', 3);
            return path is ["blob" or "tree", "main", var file] ? file : "README.md";
        }

        var folder = System.IO.Path.GetDirectoryName(Path) ?? "";
        return System.IO.Path.GetRelativePath(".", System.IO.Path.Combine(folder, target)).Replace('\\', '/');
    }

    [GeneratedRegex("^```(?<language>[a-z]*)\n(?<code>.*?)^```$", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Fence();

    [GeneratedRegex("`[^`\n]+`")]
    private static partial Regex CodeSpan();

    [GeneratedRegex("^#{1,6} (?<text>.+)$", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex(@"\[(?<text>[^\]]*)\]\([^)]*\)")]
    private static partial Regex LinkWithText();

    [GeneratedRegex(@"\]\((?<to>[^)\s]+)\)")]
    private static partial Regex LinkTarget();

    [GeneratedRegex(@"\[`(?<name>\w+)`\]\((?<to>[^)\s]+\.cs)\)")]
    private static partial Regex TestLink();

    [GeneratedRegex("^<!-- sample: (?<file>.+?) -->\n+```[a-z]*\n(?<code>.*?)^```$", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Quotation();

    [GeneratedRegex(@"^(src|tests|docs|samples|bench|workers)/[\w./-]+$")]
    private static partial Regex RepositoryPath();
}
