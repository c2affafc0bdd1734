namespace Weir.Jobs.PostgreSql.Claiming;

/// <summary>Candidates of one level that are to be fetched: of further keys, or more of keys that are known.</summary>
/// <param name="level">Which it completes.</param>
internal sealed class LevelRequest(ReadyLevel level)
{
    public ReadyLevel Level { get; } = level;

    /// <summary>The kind as it is stored.</summary>
    public required string Kind { get; init; }

    public required short Priority { get; init; }

    /// <summary>How many jobs at most.</summary>
    public required int Need { get; init; }

    /// <summary>How many jobs of a key may run at once.</summary>
    public required int Room { get; init; }

    /// <summary>Of which keys jobs run, and how many.</summary>
    public required IReadOnlyDictionary<string, int> Busy { get; init; }

    /// <summary>The signatures of jobs that other processes run.</summary>
    public required long[] Foreign { get; init; }

    /// <summary>More of these keys; <c>null</c> for further keys.</summary>
    public List<KeyRows>? Keys { get; init; }

    /// <summary>Keys, in their order, whose jobs are looked for behind a place, without a look at the index before.</summary>
    public required IReadOnlyList<(string Key, long Low)> Ahead { get; init; }

    /// <summary>The same for keys from the first one on.</summary>
    public required IReadOnlyList<(string Key, long Low)> Behind { get; init; }

    /// <summary>How many keys at most.</summary>
    public required int Most { get; init; }
}
