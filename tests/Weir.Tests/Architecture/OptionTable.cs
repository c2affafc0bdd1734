using System.Collections;
using System.Globalization;
using System.Reflection;

namespace Weir.Tests.Architecture;

/// <summary>A table of options on a page of the documentation, which must agree with the class of options.</summary>
internal sealed class OptionTable
{
    private readonly Dictionary<string, string> _defaults = new(StringComparer.Ordinal);

    /// <summary>Reads the first table below a heading.</summary>
    public OptionTable(string page, string heading)
    {
        // | `Name` | default | … |
        var lines = page.Split('\n').SkipWhile(line => line != heading).SkipWhile(line => !line.StartsWith('|')).TakeWhile(line => line.StartsWith('|'));
        foreach (var cells in lines.Skip(2).Select(line => line.Split('|')))
        {
            _defaults.Add(cells[1].Trim().Trim('`'), cells[2].Trim());
        }
    }

    public int Count => _defaults.Count;

    /// <summary>Where the table and the class differ.</summary>
    /// <param name="options">A fresh instance.</param>
    /// <param name="derived">Defaults that are derived from another option: the words of the table, and the figure they stand for.</param>
    public IEnumerable<string> Faults(object options, params (string Name, string Words, object? Value)[] derived)
    {
        var properties = options.GetType().GetProperties(BindingFlags.Public | BindingFlags.Instance);
        foreach (var property in properties)
        {
            var value = property.GetValue(options);
            var words = Words(value);
            if (derived.FirstOrDefault(one => one.Name == property.Name) is { Name: not null } known)
            {
                words = Equals(known.Value, value) ? known.Words : $"{known.Words}, which is {known.Value}, not {value}";
            }

            if (!_defaults.TryGetValue(property.Name, out var written))
            {
                yield return $"{property.Name} is not in the table";
            }
            else if (written != words)
            {
                yield return $"{property.Name} is '{words}' by default, the table says '{written}'";
            }
        }

        foreach (var name in _defaults.Keys.Except(properties.Select(property => property.Name)))
        {
            yield return $"{name} is in the table and is no option";
        }
    }

    private static string Words(object? value) => value switch
    {
        null => "none",
        bool flag => flag ? "`true`" : "`false`",
        Enum name => $"`{name}`",
        int number when number >= 1 << 20 && number % (1 << 20) == 0 => $"{number >> 20} MB",
        int number => number.ToString("N0", CultureInfo.InvariantCulture),
        long bytes when bytes >= 1 << 20 && bytes % (1 << 20) == 0 => $"{bytes >> 20} MB",
        long bytes => bytes.ToString("N0", CultureInfo.InvariantCulture),
        TimeSpan { Ticks: 0 } => "zero",
        TimeSpan time when time.TotalSeconds >= 1 => $"{time.TotalSeconds:0} s",
        TimeSpan time => $"{time.TotalMilliseconds:0} ms",
        IEnumerable list => list.Cast<object>().Any() ? "not empty" : "empty",
        _ => "",
    };
}
