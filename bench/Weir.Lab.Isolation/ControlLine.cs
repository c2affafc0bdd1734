using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Weir.Lab.Isolation;

/// <summary>One line between the lab and a contender's process: <c>@verb key=value key=value</c>, values percent-encoded.</summary>
/// <remarks>Lines without the mark are the contender's own output.</remarks>
public sealed class ControlLine
{
    private const char Mark = '@';

    private readonly Dictionary<string, string> _values = new(StringComparer.Ordinal);

    public ControlLine(string verb) => Verb = verb;

    public string Verb { get; }

    /// <summary>A value; throws when the line has none of that name.</summary>
    public string this[string key] => _values.TryGetValue(key, out var value)
        ? value
        : throw new KeyNotFoundException($"'{Verb}' has no '{key}'.");

    /// <summary>The line that a text is, or null when it is none.</summary>
    public static ControlLine? Parse(string text)
    {
        if (text.Length < 2 || text[0] != Mark)
            return null;

        var words = text.Substring(1).Split(' ');
        var line = new ControlLine(words[0]);
        foreach (var word in words.Skip(1))
        {
            var at = word.IndexOf('=');
            if (at > 0)
                line._values[word.Substring(0, at)] = Uri.UnescapeDataString(word.Substring(at + 1));
        }

        return line;
    }

    /// <summary>A line of its own that says the same.</summary>
    public ControlLine Copy()
    {
        var copy = new ControlLine(Verb);
        foreach (var pair in _values)
            copy._values[pair.Key] = pair.Value;
        return copy;
    }

    public ControlLine With(string key, string value)
    {
        _values[key] = value;
        return this;
    }

    public ControlLine With(string key, double value) => With(key, value.ToString("R", CultureInfo.InvariantCulture));

    public string Text(string key, string otherwise) => _values.TryGetValue(key, out var value) ? value : otherwise;

    public double Number(string key) => double.Parse(this[key], CultureInfo.InvariantCulture);

    public double Number(string key, double otherwise) => _values.ContainsKey(key) ? Number(key) : otherwise;

    public int Int(string key) => int.Parse(this[key], NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture);

    public int Int(string key, int otherwise) => _values.ContainsKey(key) ? Int(key) : otherwise;

    public bool Is(string key, string value) => Text(key, "") == value;

    public override string ToString() =>
        Mark + string.Join(" ", new[] { Verb }.Concat(_values.Select(pair => $"{pair.Key}={Uri.EscapeDataString(pair.Value)}")));
}
