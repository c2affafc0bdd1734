using System.Globalization;
using Microsoft.Extensions.Configuration;

namespace Weir.Execution.Configuration;

/// <summary>One key of the configuration, read as the type of its option. An invalid value is an error that names the key, the value and what to write.</summary>
/// <param name="section">The key and everything below it.</param>
internal readonly struct ConfiguredValue(IConfigurationSection section)
{
    /// <summary>The whole key, as in <c>Weir:Pools:hashing:MaxWorkers</c>.</summary>
    public string Key => section.Path;

    /// <summary>Whether there is no value: a null in JSON; the empty text in environment variables, which cannot be null.</summary>
    public bool IsNone => string.IsNullOrEmpty(section.Value) && !section.GetChildren().Any();

    public int Integer() => int.TryParse(Text(), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var value)
        ? value
        : throw Unfit("write a whole number");

    public int? OptionalInteger() => IsNone ? null : Integer();

    public long? OptionalBytes() => OptionalLong("write a whole number of bytes, or null for no limit");

    public long? OptionalCount() => OptionalLong("write a whole number, or null for no limit");

    public double? OptionalNumber() => IsNone
        ? null
        : double.TryParse(Text(), NumberStyles.AllowDecimalPoint | NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var value) ? value : throw Unfit("write a number, as in 0.5");

    public bool Switch() => bool.TryParse(Text(), out var value) ? value : throw Unfit("write true or false");

    public bool? OptionalSwitch() => IsNone ? null : Switch();

    // "10" would be ten days, which is never intended.
    public TimeSpan Time() => Text() is var text && text.Contains(':', StringComparison.Ordinal) && TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out var value)
        ? value
        : throw Unfit("write hours:minutes:seconds, as in 00:00:10 or 1.00:00:00 for a day");

    public TimeSpan? OptionalTime() => IsNone ? null : Time();

    public string? OptionalText() => IsNone ? null : Text();

    /// <summary>An enum value, by its name.</summary>
    public T OneOf<T>(T[] values)
        where T : struct, Enum
    {
        var text = Text();
        foreach (var value in values)
        {
            if (value.ToString().Equals(text, StringComparison.OrdinalIgnoreCase))
            {
                return value;
            }
        }

        throw Unfit($"write {string.Join(", ", values[..^1])} or {values[^1]}");
    }

    public T? OptionalOneOf<T>(T[] values)
        where T : struct, Enum => IsNone ? null : OneOf(values);

    /// <summary>An array of texts. The empty text is an empty array: the configuration represents <c>[]</c> in this way.</summary>
    public List<string>? OptionalList()
    {
        if (section.Value is null && IsNone)
        {
            return null;
        }

        RequireNoText("write an array of texts");
        return [.. section.GetChildren().Select(static child => new ConfiguredValue(child).Text())];
    }

    /// <summary>Processor numbers, as an array or as the kernel writes them.</summary>
    public List<int>? Processors() => IsNone
        ? null
        : section.Value is { } text
            ? ProcessorList.Parse(text) ?? throw Unfit("write numbers of processors, as in \"0-3,6\" or [0, 1]")
            : [.. section.GetChildren().Select(static child => new ConfiguredValue(child).Integer())];

    /// <summary>All values below the key; the name of a nested value starts with the names of its sections, as everywhere in the configuration.</summary>
    public IEnumerable<KeyValuePair<string, string>> Pairs()
    {
        RequireNoText("write a section of names and values");
        var start = Key.Length + 1;
        return section.AsEnumerable().Where(static pair => pair.Value is not null).Select(pair => new KeyValuePair<string, string>(pair.Key[start..], pair.Value!));
    }

    /// <summary>The key as a section.</summary>
    public IConfiguration Section => section;

    /// <summary>The sections below the key.</summary>
    public IEnumerable<IConfigurationSection> Sections()
    {
        RequireNoText("write a section");
        return section.GetChildren();
    }

    public InvalidOperationException Unfit(string step) =>
        new($"{Key} is {Written}; {step}. See {WeirCodes.InvalidOptions}.");

    private string Written => section.Value is { } text ? $"'{text}'" : section.GetChildren().Any() ? "a section" : "null";

    private long? OptionalLong(string step) => IsNone
        ? null
        : long.TryParse(Text(), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out var value) ? value : throw Unfit(step);

    private string Text() => section.Value ?? throw Unfit("write one value");

    private void RequireNoText(string step)
    {
        if (!string.IsNullOrEmpty(section.Value))
        {
            throw Unfit(step);
        }
    }
}
