namespace Weir.Load.Measuring;

/// <summary>Why a request of an open load leaves late: there was no idle connection, or the generator was late.</summary>
/// <remarks>Stamps of the clock. Reactor only.</remarks>
internal sealed class Punctuality
{
    // Since when there has been an idle connection without a break; the beginning of time until the first break.
    private long _idleSince = long.MinValue;
    private bool _isWaiting;

    /// <summary>No connection is idle any more.</summary>
    public void RanOut() => _isWaiting = true;

    /// <summary>A connection is idle.</summary>
    public void Returned(long now)
    {
        if (!_isWaiting)
        {
            return;
        }

        _isWaiting = false;
        _idleSince = now;
    }

    /// <summary>How late a request is that was meant to leave earlier and leaves now: because all connections were busy, and by the generator.</summary>
    public (long Wait, long Own) Split(long intended, long now)
    {
        var possible = Math.Clamp(_idleSince, intended, now);
        return (possible - intended, now - possible);
    }
}
