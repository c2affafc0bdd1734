using System.Globalization;
using System.Text;

namespace Weir.Cli.Clients.TypeScript;

/// <summary>Writes indented TypeScript. Lines end in a line feed, so that the file does not depend on the machine.</summary>
internal sealed class TypeScriptText
{
    private readonly StringBuilder _text = new();
    private int _indent;

    /// <summary>A string literal.</summary>
    public static string Quote(string text)
    {
        var quoted = new StringBuilder(text.Length + 2).Append('"');
        foreach (var character in text)
        {
            _ = character switch
            {
                '"' => quoted.Append("\\\""),
                '\\' => quoted.Append("\\\\"),
                < ' ' or '\u2028' or '\u2029' => quoted.Append("\\u").Append(((int)character).ToString("x4", CultureInfo.InvariantCulture)),
                _ => quoted.Append(character),
            };
        }

        return quoted.Append('"').ToString();
    }

    public void Line(string line = "")
    {
        if (line.Length > 0)
        {
            _text.Append(' ', _indent * 2).Append(line);
        }

        _text.Append('\n');
    }

    /// <summary>A block in braces.</summary>
    public void Block(string head, Action body, string end = "}")
    {
        Line(head + " {");
        _indent++;
        body();
        _indent--;
        Line(end);
    }

    /// <summary>A documentation comment; nothing without text.</summary>
    public void Comment(params IReadOnlyList<string> lines)
    {
        var clean = lines.SelectMany(static one => one.Split('\n')).Select(static one => one.Trim().Replace("*/", "* /", StringComparison.Ordinal)).Where(static one => one.Length > 0).ToList();
        if (clean.Count == 1)
        {
            Line($"/** {clean[0]} */");
        }
        else if (clean.Count > 1)
        {
            Line("/**");
            clean.ForEach(one => Line(" * " + one));
            Line(" */");
        }
    }

    /// <summary>Text as it is.</summary>
    public void Raw(string text) => _text.Append(text);

    public override string ToString() => _text.ToString();
}
