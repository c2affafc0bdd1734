using System.Collections.ObjectModel;
using System.Runtime.CompilerServices;

namespace Weir.Execution.Pools.Options;

/// <summary>
/// What was set in a pool's options, by the names of the options, and the defaults behind it. Defaults are read when an option is, so it
/// does not matter which of the two was set first. Changed by one thread at a time, and not any more once the pool has its copy.
/// </summary>
/// <param name="defaults">The values of <see cref="WeirOptions.PoolDefaults"/>; <c>null</c> if there are none.</param>
internal sealed class PoolOptionValues(PoolOptionValues? defaults)
{
    // Only what was set; null is a value too.
    private readonly Dictionary<string, object?> _set = new(StringComparer.Ordinal);

    // What Merged took from the defaults: names of options, and of entries as in EnvironmentVariables:NAME.
    private readonly HashSet<string> _fromDefaults = new(StringComparer.Ordinal);

    /// <summary>The entries that were set here, without those of the defaults.</summary>
    public Dictionary<string, string> EnvironmentVariables { get; } = new(StringComparer.Ordinal);

    /// <summary>The entries that were set here, without those of the defaults.</summary>
    public Dictionary<string, string> Configuration { get; } = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>The entries that were set here, without those of the defaults.</summary>
    public Dictionary<string, SharedDataSource> SharedData { get; } = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>The value that was set here, else the one of the defaults.</summary>
    /// <param name="builtIn">The value if neither was set.</param>
    /// <param name="option">The option's name.</param>
    /// <remarks>Not generic: a method for each type of an option would be compiled while the application starts.</remarks>
    public object? Get(object? builtIn, [CallerMemberName] string option = "") =>
        _set.TryGetValue(option, out var value) || defaults?._set.TryGetValue(option, out value) == true ? value : builtIn;

    /// <summary>The same for a list. That of the defaults is read-only here: an entry added to it would be added for all pools.</summary>
    public IList<T>? GetList<T>([CallerMemberName] string option = "") =>
        Get(null, option) is IList<T> list
            ? _set.ContainsKey(option) ? list : new ReadOnlyCollection<T>(list)
            : null;

    public void Set(object? value, [CallerMemberName] string option = "")
    {
        _set[option] = value;
        _fromDefaults.Remove(option);
    }

    /// <summary>Whether a value was set, also to <c>null</c>, here or in the defaults.</summary>
    public bool IsSet(string option) => _set.ContainsKey(option) || defaults?._set.ContainsKey(option) == true;

    /// <summary>Whether <see cref="Merged"/> took the value from the defaults.</summary>
    /// <param name="name">The name of an option, or of an entry as in <c>EnvironmentVariables:NAME</c>.</param>
    public bool IsFromDefaults(string name) => _fromDefaults.Contains(name);

    /// <summary>A copy that has the values of the defaults in it: as a whole where an option is one value or a list, by name where it has entries.</summary>
    public PoolOptionValues Merged()
    {
        var merged = new PoolOptionValues(null);
        merged.AddMissing(this, static (_, _) => { });
        merged._fromDefaults.UnionWith(_fromDefaults);
        if (defaults is not null)
        {
            merged.AddMissing(defaults, static (merged, name) => merged._fromDefaults.Add(name));
        }

        return merged;
    }

    /// <summary>The options whose value here is another one than in an earlier copy. A value that was set to the built-in default differs from one that was not set.</summary>
    public IEnumerable<string> NamesChangedSince(PoolOptionValues earlier)
    {
        foreach (var option in _set.Keys.Union(earlier._set.Keys))
        {
            if (_set.TryGetValue(option, out var value) != earlier._set.TryGetValue(option, out var before) || !AreEqual(value, before))
            {
                yield return option;
            }
        }

        if (!AreEqual(EnvironmentVariables, earlier.EnvironmentVariables))
        {
            yield return nameof(EnvironmentVariables);
        }

        if (!AreEqual(Configuration, earlier.Configuration))
        {
            yield return nameof(Configuration);
        }

        if (SharedData.Count != earlier.SharedData.Count || !SharedData.All(pair => earlier.SharedData.TryGetValue(pair.Key, out var source) && source == pair.Value))
        {
            yield return nameof(SharedData);
        }
    }

    private static bool AreEqual(object? left, object? right) => (left, right) switch
    {
        (IEnumerable<int> numbers, IEnumerable<int> others) => numbers.SequenceEqual(others),
        (IEnumerable<string> texts, IEnumerable<string> others) => texts.SequenceEqual(others, StringComparer.Ordinal),
        (DumpOptions dumps, DumpOptions others) => dumps.IsLike(others),
        _ => Equals(left, right),
    };

    private static bool AreEqual(Dictionary<string, string> left, Dictionary<string, string> right) =>
        left.Count == right.Count && left.All(pair => right.TryGetValue(pair.Key, out var value) && value == pair.Value);

    private void AddMissing(PoolOptionValues from, Action<PoolOptionValues, string> note)
    {
        foreach (var (option, value) in from._set)
        {
            if (_set.TryAdd(option, Copied(value)))
            {
                note(this, option);
            }
        }

        AddMissing(EnvironmentVariables, from.EnvironmentVariables, nameof(EnvironmentVariables), note);
        AddMissing(Configuration, from.Configuration, nameof(Configuration), note);
        AddMissing(SharedData, from.SharedData, nameof(SharedData), note);
    }

    private void AddMissing<T>(Dictionary<string, T> to, Dictionary<string, T> from, string option, Action<PoolOptionValues, string> note)
        where T : class
    {
        foreach (var (name, entry) in from)
        {
            if (to.TryAdd(name, entry))
            {
                note(this, $"{option}:{name}");
            }
        }
    }

    // The caller may change its list or its object later.
    private static object? Copied(object? value) => value switch
    {
        IEnumerable<int> numbers => new List<int>(numbers),
        IEnumerable<string> texts => new List<string>(texts),
        DumpOptions dumps => dumps.Copy(),
        _ => value,
    };
}
