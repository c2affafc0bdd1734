using System.ComponentModel;
using Microsoft.Extensions.Configuration;
using Weir.Execution;
using Weir.Execution.Configuration;

namespace Weir.Runtime;

/// <summary>
/// A section below <c>Weir</c> of the configuration, with the options of another package. Only where that package has registered it with
/// the application's services is its name a known key.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class OptionSection
{
    private protected OptionSection(string name) => Name = name;

    /// <summary>The key below <c>Weir</c>; compared without regard to case.</summary>
    public string Name { get; }
}

/// <summary>
/// The keys of such a section: all are known by name, so that a misspelled key is an error and is not ignored. Keys are added before it
/// is used; then it may be used concurrently.
/// </summary>
/// <typeparam name="T">The options class.</typeparam>
/// <param name="name">The key below <c>Weir</c>.</param>
/// <param name="owner">What the keys are options of, as text for messages: <c>the server</c>.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class OptionSection<T>(string name, string owner) : OptionSection(name)
{
    // One for each option of the class.
    private readonly List<OptionKey<T>> _keys = [];

    /// <summary>The names of all keys, in the order in which they were added.</summary>
    public IEnumerable<string> Keys => _keys.Select(static key => key.Name);

    /// <summary>Adds an option that is a whole number.</summary>
    /// <param name="key">The option's name.</param>
    /// <param name="set">Sets it.</param>
    public OptionSection<T> Integer(string key, Action<T, int> set) => Add(key, (options, value) => set(options, value.Integer()));

    /// <summary>Adds an option that is a whole number, or <c>null</c> for no limit.</summary>
    /// <param name="key">The option's name.</param>
    /// <param name="set">Sets it.</param>
    public OptionSection<T> OptionalInteger(string key, Action<T, int?> set) => Add(key, (options, value) => set(options, value.OptionalInteger()));

    /// <summary>Adds an option that is a number of bytes, or <c>null</c> for no limit.</summary>
    /// <param name="key">The option's name.</param>
    /// <param name="set">Sets it.</param>
    public OptionSection<T> OptionalBytes(string key, Action<T, long?> set) => Add(key, (options, value) => set(options, value.OptionalBytes()));

    /// <summary>Adds an option that is a time, written <c>00:00:10</c>.</summary>
    /// <param name="key">The option's name.</param>
    /// <param name="set">Sets it.</param>
    public OptionSection<T> Time(string key, Action<T, TimeSpan> set) => Add(key, (options, value) => set(options, value.Time()));

    /// <summary>Adds an option that is a time, or <c>null</c> for no limit.</summary>
    /// <param name="key">The option's name.</param>
    /// <param name="set">Sets it.</param>
    public OptionSection<T> OptionalTime(string key, Action<T, TimeSpan?> set) => Add(key, (options, value) => set(options, value.OptionalTime()));

    /// <summary>Adds an option that is true or false.</summary>
    /// <param name="key">The option's name.</param>
    /// <param name="set">Sets it.</param>
    public OptionSection<T> Switch(string key, Action<T, bool> set) => Add(key, (options, value) => set(options, value.Switch()));

    /// <summary>Adds an option that is a text, or <c>null</c> for none. The empty text is none, too.</summary>
    /// <param name="key">The option's name.</param>
    /// <param name="set">Sets it.</param>
    public OptionSection<T> OptionalText(string key, Action<T, string?> set) => Add(key, (options, value) => set(options, value.OptionalText()));

    /// <summary>Adds an option that is a list of texts, or <c>null</c> for none. <c>[]</c> is an empty list.</summary>
    /// <param name="key">The option's name.</param>
    /// <param name="set">Sets it.</param>
    public OptionSection<T> OptionalTexts(string key, Action<T, IReadOnlyList<string>?> set) => Add(key, (options, value) => set(options, value.OptionalList()));

    /// <summary>Adds an option that is a value of an enum, by its name without regard to case, or <c>null</c> for none.</summary>
    /// <typeparam name="TValue">The enum.</typeparam>
    /// <param name="key">The option's name.</param>
    /// <param name="set">Sets it.</param>
    public OptionSection<T> OptionalOneOf<TValue>(string key, Action<T, TValue?> set)
        where TValue : struct, Enum => Add(key, (options, value) => set(options, value.OptionalOneOf(Enum.GetValues<TValue>())));

    /// <summary>Adds a section with a section for each of several things.</summary>
    /// <typeparam name="TItem">The options class of one thing.</typeparam>
    /// <param name="key">The name of the section.</param>
    /// <param name="keys">The keys of one thing; their own name is not used.</param>
    /// <param name="get">The options of the thing with a name.</param>
    public OptionSection<T> Each<TItem>(string key, OptionSection<TItem> keys, Func<T, string, TItem> get)
    {
        ArgumentNullException.ThrowIfNull(keys);
        return Add(key, (options, value) =>
        {
            foreach (var section in value.Sections())
            {
                keys.Bind(get(options, section.Key), section);
            }
        });
    }

    /// <summary>Sets the options that the section contains and keeps the rest.</summary>
    /// <param name="options">The options.</param>
    /// <param name="configuration">The whole configuration of the application.</param>
    /// <exception cref="InvalidOperationException">A key is not known, or its value is invalid (WEIR3002).</exception>
    public void Bind(T options, IConfiguration configuration)
    {
        ArgumentNullException.ThrowIfNull(configuration);
        Bind(options, configuration.GetSection($"{WeirKeys.Section}:{Name}"));
    }

    internal void Bind(T options, IConfigurationSection section) => new OptionKeys<T>(owner, [.. _keys]).Bind(options, section);

    private OptionSection<T> Add(string key, Action<T, ConfiguredValue> set)
    {
        _keys.Add(new OptionKey<T>(key, set));
        return this;
    }
}
