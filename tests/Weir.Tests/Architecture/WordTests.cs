using System.Text.RegularExpressions;

namespace Weir.Tests.Architecture;

/// <summary>The words that <c>docs/vocabulary.md</c> does not allow: the number of their occurrences may only fall.</summary>
public sealed partial class WordTests
{
    // Lower a number whenever a change removes such words; never raise one.
    private static readonly Dictionary<string, int> Ceilings = new()
    {
        ["docs"] = 0,
        ["src/Weir.Abstractions"] = 0,
        ["src/Weir.Execution"] = 0,
        ["src/Weir.Generator"] = 0,
        ["src/Weir.Protocol"] = 0,
        ["src/Weir.AspNetCore"] = 0,
        ["src/Weir.Worker"] = 0,
    };

    [Fact]
    public void Words_that_are_not_used_become_fewer()
    {
        var rows = Repository.Read("docs/vocabulary.md").Split("## Words that are not used")[1].Split('\n').Where(static line => line.StartsWith('|'));
        var words = rows.SelectMany(static row => CodeSpan().Matches(row.Split('|')[1])).Select(static match => match.Groups[1].Value).ToArray();
        Assert.NotEmpty(words);

        // Words of a text, or parts of a camel-case name; two words may be on two lines of a comment.
        var anyCase = string.Join('|', words.Select(Spaced));
        var upper = string.Join('|', words.Select(static word => char.ToUpperInvariant(word[0]) + Spaced(word[1..])));
        var pattern = new Regex($"(?:(?<![A-Za-z])(?i:{anyCase})|(?:{upper}))(?![a-z])", RegexOptions.Compiled);
        var files = Repository.Files("src", "*.cs").Concat(Repository.Files("docs", "*.md").Where(static path => path != "docs/vocabulary.md" && !path.StartsWith("docs/results/", StringComparison.Ordinal)));
        var found = files.Select(static path => new SourceFile(path, Repository.Read(path)))
            .SelectMany(file => pattern.Matches(file.Text).Select(match => file.At(match.Index, $"says '{match.Value}'")))
            .ToLookup(static finding => finding.Path.StartsWith("src/", StringComparison.Ordinal) ? string.Join('/', finding.Path.Split('/')[..2]) : "docs");
        foreach (var (place, ceiling) in Ceilings.Where(one => found[one.Key].Count() < one.Value))
        {
            TestContext.Current.AddWarning($"{place}: lower the ceiling from {ceiling} to {found[place].Count()}.");
        }

        Expect.NoFault(found.Where(static one => one.Count() > Ceilings.GetValueOrDefault(one.Key)).SelectMany(static one =>
            one.Select(static finding => $"{finding}").Prepend($"{one.Key}: {one.Count()} words of docs/vocabulary.md that are not used, at most {Ceilings.GetValueOrDefault(one.Key)} are allowed:")));
    }

    private static string Spaced(string words) => words.Replace(" ", @"[\s/*]+");

    [GeneratedRegex("`([^`]+)`")]
    private static partial Regex CodeSpan();
}
