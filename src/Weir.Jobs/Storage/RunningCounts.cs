namespace Weir.Jobs.Storage;

/// <summary>How many jobs of one kind run, in all processes: counted from their rows. Belongs to the store, which follows it while rows change.</summary>
internal sealed class RunningCounts
{
    // As many as keys of which a job runs.
    private readonly Dictionary<string, int> _byKey = new(StringComparer.Ordinal);
    private int _total;

    /// <summary>Whether one more may run, whatever its key.</summary>
    public bool HasRoom(KindLimits limits) => !(_total >= limits.MaxTotal);

    /// <summary>Whether one more with this key may run.</summary>
    public bool HasRoom(KindLimits limits, string key) => HasRoom(limits) && !(_byKey.GetValueOrDefault(key) >= limits.MaxPerKey);

    /// <summary>One more runs.</summary>
    public void Add(string key)
    {
        _total++;
        _byKey[key] = _byKey.GetValueOrDefault(key) + 1;
    }

    /// <summary>One runs no more.</summary>
    public void Remove(string key)
    {
        _total--;
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
