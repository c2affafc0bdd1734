using System.Text;
using Weir.Generator.Model;

namespace Weir.Generator.Parsing.Services;

/// <summary>Cuts a route template that routing accepts into what a client writes.</summary>
internal static class PathParts
{
    private static readonly char[] AfterName = [':', '=', '?'];

    /// <summary>The parts, in order.</summary>
    /// <param name="template">Without slashes around it.</param>
    /// <param name="parameters">The operation's parameters, whose names on the wire the template has.</param>
    public static IEnumerable<PathPartModel> Of(string template, EquatableArray<ParameterModel> parameters)
    {
        var literal = new StringBuilder();
        var parts = new List<PathPartModel>();
        for (var i = 0; i < template.Length;)
        {
            if (template[i] is '{' or '}' && i + 1 < template.Length && template[i + 1] == template[i])
            {
                literal.Append(template[i]);
                i += 2;
            }
            else if (template[i] == '{')
            {
                var end = End(template, i + 1);
                Add(parts, literal, template.Substring(i + 1, end - i - 1), parameters);
                i = end + 1;
            }
            else
            {
                literal.Append(template[i++]);
            }
        }

        AddLiteral(parts, literal.ToString());
        return parts;
    }

    private static void Add(List<PathPartModel> parts, StringBuilder literal, string content, EquatableArray<ParameterModel> parameters)
    {
        var name = content.TrimStart('*');
        var rest = name.Length < content.Length;
        var end = name.IndexOfAny(AfterName);
        var isOptional = name.EndsWith("?", StringComparison.Ordinal);
        name = end < 0 ? name : name.Substring(0, end);
        var before = "";
        if ((isOptional || rest) && literal.Length > 0)
        {
            before = literal[literal.Length - 1].ToString();
            literal.Length--;
        }

        AddLiteral(parts, literal.ToString());
        literal.Clear();
        var named = parameters.Where(one => string.Equals(one.WireName, name, StringComparison.OrdinalIgnoreCase)).ToList();
        var parameter = named.Find(static one => !one.IsMarked || one.Source == "Route") ?? named[0];
        parts.Add(new PathPartModel("", parameter.Name, rest, before));
    }

    private static void AddLiteral(List<PathPartModel> parts, string literal)
    {
        if (literal.Length > 0)
        {
            parts.Add(new PathPartModel(string.Join("/", literal.Split('/').Select(Uri.EscapeDataString)), null, false, ""));
        }
    }

    // A constraint may hold doubled braces.
    private static int End(string text, int from)
    {
        for (var i = from; i < text.Length; i++)
        {
            if (text[i] is '{' or '}')
            {
                if (i + 1 < text.Length && text[i + 1] == text[i])
                {
                    i++;
                }
                else
                {
                    return i;
                }
            }
        }

        return text.Length;
    }
}
