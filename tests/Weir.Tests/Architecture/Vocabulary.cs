using System.Text.RegularExpressions;

namespace Weir.Tests.Architecture;

/// <summary>The table of <c>docs/vocabulary.md</c>: what things are called, and what they are not called.</summary>
internal sealed class Vocabulary
{
    private readonly List<(string Term, Regex Forbidden)> _terms = [];

    public Vocabulary(Page page)
    {
        // | term | meaning | not: word, word |
        foreach (var cells in page.Text.Split('\n').Where(line => line.StartsWith("| ", StringComparison.Ordinal)).Select(line => line.Split('|')))
        {
            var words = cells[3].Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
            if (words.Length > 0 && cells[1].Trim() != "Term")
            {
                var pattern = string.Join('|', words.Select(Regex.Escape));
                _terms.Add((cells[1].Trim(), new Regex($@"\b({pattern})s?\b", RegexOptions.IgnoreCase)));
            }
        }
    }

    public int Count => _terms.Count;

    /// <summary>Where a text says a forbidden word.</summary>
    public IEnumerable<Finding> Faults(string path, string prose) =>
        from term in _terms
        from Match match in term.Forbidden.Matches(prose)
        select new Finding(path, prose.AsSpan(0, match.Index).Count('\n') + 1, $"says '{match.Value}'; the word is '{term.Term}'");
}
