using System.Text.RegularExpressions;

namespace Weir.Tests.Architecture;

/// <summary>The words that <c>docs/vocabulary.md</c> does not allow are in no page, no code, no test and no experiment.</summary>
public sealed partial class WordTests
{
    private static readonly string[] Folders = ["src", "bench", "samples", "tests"];

    [Fact]
    public void Words_that_are_not_used_are_nowhere()
    {
        var rows = Repository.Read("docs/vocabulary.md").Split("## Words that are not used")[1].Split('\n').Where(static line => line.StartsWith('|'));
        var words = rows.SelectMany(static row => CodeSpan().Matches(row.Split('|')[1])).Select(static match => match.Groups[1].Value).ToArray();
        Assert.NotEmpty(words);

        // Words of a text, or parts of a camel-case name; two words may be on two lines of a comment.
        var anyCase = string.Join('|', words.Select(Spaced));
        var upper = string.Join('|', words.Select(static word => char.ToUpperInvariant(word[0]) + Spaced(word[1..])));
        var pattern = new Regex($"(?:(?<![A-Za-z])(?i:{anyCase})|(?:{upper}))(?![a-z])", RegexOptions.Compiled);
        var files = Folders.SelectMany(static folder => Repository.Files(folder, "*.cs"))
            .Concat(Repository.Files("docs", "*.md").Where(static path => path != "docs/vocabulary.md" && !path.StartsWith("docs/results/", StringComparison.Ordinal)));
        Expect.NoFault(files.Select(static path => new SourceFile(path, Repository.Read(path)))
            .SelectMany(file => pattern.Matches(file.Text).Select(match => $"{file.At(match.Index, $"says '{match.Value}'")}")));
    }

    private static string Spaced(string words) => words.Replace(" ", @"[\s/*]+");

    [GeneratedRegex("`([^`]+)`")]
    private static partial Regex CodeSpan();
}
