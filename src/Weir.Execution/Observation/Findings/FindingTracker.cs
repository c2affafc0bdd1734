namespace Weir.Execution.Observation.Findings;

/// <summary>Which findings are in effect: one is raised at once, keeps the time since when it is, and is cleared when its cause was absent for ten seconds. Under its owner's lock.</summary>
internal sealed class FindingTracker
{
    /// <summary>How long a cause must be absent.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    // Bounded by the pools, the operations and the calls that are listed.
    private readonly Dictionary<(FindingKind, string?, string?, string?), (Finding Finding, DateTimeOffset Seen)> _current = [];

    /// <summary>Those in effect, the worst first and of these the oldest first.</summary>
    public IReadOnlyList<Finding> Current { get; private set; } = [];

    /// <summary>When the last finding was raised or cleared; <c>null</c> before the first.</summary>
    public DateTimeOffset? ChangedAt { get; private set; }

    /// <summary>Takes what is found now.</summary>
    /// <param name="found">What is found.</param>
    /// <param name="now">The moment.</param>
    public void Update(IReadOnlyList<Finding> found, DateTimeOffset now)
    {
        foreach (var one in found)
        {
            var isKnown = _current.TryGetValue(one.Key, out var known);
            ChangedAt = isKnown ? ChangedAt : now;
            _current[one.Key] = (one with { Since = isKnown ? known.Finding.Since : one.Since == default ? now : one.Since }, now);
        }

        foreach (var (key, (_, seen)) in _current)
        {
            if (now - seen >= Patience)
            {
                // A dictionary may be changed by removal while it is enumerated.
                _current.Remove(key);
                ChangedAt = now;
            }
        }

        Current = [.. _current.Values.Select(static one => one.Finding).OrderBy(static one => one.Severity).ThenBy(static one => one.Since)];
    }
}
