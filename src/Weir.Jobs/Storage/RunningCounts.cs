namespace Weir.Jobs.Storage;

/// <summary>How many jobs of one kind run, in all processes: counted from their rows. Belongs to the store, which follows it while rows change.</summary>
internal sealed class RunningCounts
{
    // As many as keys of which a job runs.
    private readonly Dictionary<string, int> _byKey = new(StringComparer.Ordinal);

    /// <summary>How many run.</summary>
    public int Total { get; private set; }

    /// <summary>How many run of each key of which one does.</summary>
    public IReadOnlyDictionary<string, int> ByKey => _byKey;

    /// <summary>Whether one more may run, whatever its key.</summary>
    public bool HasRoom(KindLimits limits) => !(Total >= limits.MaxTotal);

    /// <summary>Whether one more with this key may run.</summary>
    public bool HasRoom(KindLimits limits, string key) => HasRoom(limits) && !(_byKey.GetValueOrDefault(key) >= limits.MaxPerKey);

    /// <summary>One more runs.</summary>
    public void Add(string key) => Add(key, 1);

    /// <summary>So many more run.</summary>
    public void Add(string key, int count)
    {
        Total += count;
        _byKey[key] = _byKey.GetValueOrDefault(key) + count;
    }

    /// <summary>One runs no more.</summary>
    public void Remove(string key)
    {
        Total--;
        var left = _byKey[key] - 1;
        if (left == 0)
        {
            _byKey.Remove(key);
        }
        else
        {
            _byKey[key] = left;
        }
    }
}
