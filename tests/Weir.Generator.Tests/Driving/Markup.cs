using System.Text;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis.Text;

namespace Weir.Generator.Tests.Driving;

/// <summary>Source in which the places of errors are marked: <c>{|WEIR1001:int x|}</c>.</summary>
internal sealed partial class Markup
{
    private Markup(string source, IReadOnlyList<(string Code, TextSpan Span)> places)
    {
        Source = source;
        Places = places;
    }

    public string Source { get; }

    public IReadOnlyList<(string Code, TextSpan Span)> Places { get; }

    public static Markup Parse(string marked)
    {
        var source = new StringBuilder();
        var places = new List<(string, TextSpan)>();
        var position = 0;
        foreach (var match in Mark().Matches(marked).Cast<Match>())
        {
            source.Append(marked, position, match.Index - position);
            places.Add((match.Groups[1].Value, new TextSpan(source.Length, match.Groups[2].Length)));
            source.Append(match.Groups[2].Value);
            position = match.Index + match.Length;
        }

        source.Append(marked, position, marked.Length - position);
        return new Markup(source.ToString(), places);
    }

    [GeneratedRegex(@"\{\|(WEIR\d{4}):(.*?)\|\}", RegexOptions.Singleline)]
    private static partial Regex Mark();
}
