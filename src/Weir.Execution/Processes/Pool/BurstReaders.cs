namespace Weir.Execution.Processes;

/// <summary>The workers whose answers one burst reads. The burst's thread looks; others add and remove under the burst's lock.</summary>
internal sealed class BurstReaders : IAnswerReader
{
    // Replaced, never changed: who looks does so without a lock.
    private volatile IBurstReader[] _all = [];

    public void Add(IBurstReader reader) => _all = [.. _all, reader];

    public void Remove(IBurstReader reader) => _all = [.. _all.Where(other => other != reader)];

    /// <summary>Removes all, and gives them.</summary>
    public IBurstReader[] Clear()
    {
        var all = _all;
        _all = [];
        return all;
    }

    /// <summary>Reads from each. Worth to try again while one has calls and did not take the reading back.</summary>
    public bool TryReadAhead(IResumer? resumer)
    {
        var isWorthIt = false;
        foreach (var reader in _all)
        {
            // One that has not let go yet is about to.
            var reads = reader.TryReadAhead(resumer) || reader.IsHandedOver;
            isWorthIt |= reads && reader.HasCalls;
        }

        return isWorthIt;
    }

    /// <summary>Does nothing: each is woken when the burst ends.</summary>
    public void Wake()
    {
    }

    /// <summary>Does nothing: a yield was somebody's slice, and the burst ends. To do without one would take more of the processor, not less.</summary>
    public void Bar(TimeSpan penalty)
    {
    }
}
