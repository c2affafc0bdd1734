using Microsoft.Extensions.Configuration;

namespace Weir.Execution.Configuration;

/// <summary>One option and its key in the configuration.</summary>
/// <typeparam name="T">The options class.</typeparam>
/// <param name="Name">The key; compared without regard to case.</param>
/// <param name="Set">Reads the value and sets it.</param>
internal sealed record OptionKey<T>(string Name, Action<T, ConfiguredValue> Set);

/// <summary>The keys of one section of the configuration: all are known by name, so that a misspelled key is an error and is not ignored.</summary>
/// <typeparam name="T">The options class.</typeparam>
/// <param name="owner">What the keys are options of, as text: <c>a pool</c>.</param>
/// <param name="keys">All keys of the section.</param>
internal sealed class OptionKeys<T>(string owner, params OptionKey<T>[] keys)
{
    public IEnumerable<string> Names => keys.Select(static key => key.Name);

    /// <summary>Sets the options that the section contains and keeps the rest.</summary>
    /// <exception cref="InvalidOperationException">A key is not known, or its value is invalid (WEIR3002).</exception>
    public void Bind(T options, IConfiguration section)
    {
        if (section is IConfigurationSection { Value.Length: > 0 } text)
        {
            throw new ConfiguredValue(text).Unfit($"write a section with the options of {owner}");
        }

        foreach (var child in section.GetChildren())
        {
            Find(child).Set(options, new ConfiguredValue(child));
        }
    }

    private OptionKey<T> Find(IConfigurationSection child) =>
        keys.FirstOrDefault(key => key.Name.Equals(child.Key, StringComparison.OrdinalIgnoreCase))
        ?? throw new InvalidOperationException(
            $"{child.Path} is not an option of {owner}; the nearest one is {NearestName.To(child.Key, Names)}. "
            + $"The options of {owner} are {string.Join(", ", Names.Order(StringComparer.Ordinal))}. See {WeirCodes.InvalidOptions}.");
}
