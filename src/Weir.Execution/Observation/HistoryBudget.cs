namespace Weir.Execution.Observation;

/// <summary>
/// The memory that all histories have together. A history gets its memory with its first activity. Where there is none left, the one that was inactive for the longest
/// time gives up its single seconds, then everything; one that was active in the last ten seconds keeps what it has, and the new one has no history. Under its owner's lock.
/// </summary>
/// <param name="bytes">How many bytes there are.</param>
internal sealed class HistoryBudget(long bytes)
{
    // Otherwise two that are both active would take each other's memory every second.
    private const long Protected = 10;

    // All that have memory, or had it. As many as there are pools and operations.
    private readonly HashSet<History> _histories = [];

    /// <summary>What all of them use, in bytes.</summary>
    public long Used { get; private set; }

    /// <summary>Opens a history that has values, if there is memory for it.</summary>
    /// <param name="history">The history.</param>
    /// <param name="now">The present second.</param>
    public void Open(History history, long now)
    {
        if (history.HasSeconds)
        {
            return;
        }

        _histories.Add(history);
        var needed = history.BytesToOpen;
        while (Used + needed > bytes)
        {
            if (Victim(history, now) is not { } victim)
            {
                return;
            }

            var before = victim.Bytes;
            victim.GiveUp();
            Used -= before - victim.Bytes;
        }

        history.Open();
        Used += needed;
    }

    private History? Victim(History asking, long now)
    {
        History? victim = null;
        foreach (var other in _histories)
        {
            if (other != asking && other.IsKept && other.LastActive < now - Protected
                && (victim is null || (other.HasSeconds, -other.LastActive).CompareTo((victim.HasSeconds, -victim.LastActive)) > 0))
            {
                victim = other;
            }
        }

        return victim;
    }
}
