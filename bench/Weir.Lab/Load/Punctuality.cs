namespace Weir.Lab.Load;

/// <summary>Whose fault it is that a request of an open load leaves late: there was no idle connection, or the generator was not there.</summary>
/// <remarks>Stamps of the clock. Reactor only.</remarks>
internal sealed class Punctuality
{
    // Since when there has been an idle connection without a break; the beginning of time until the first break.
    private long _idleSince = long.MinValue;
    private bool _isWanting;

    /// <summary>No connection is idle any more.</summary>
    public void RanOut() => _isWanting = true;

    /// <summary>A connection is idle.</summary>
    public void Returned(long now)
    {
        if (!_isWanting)
            return;

        _isWanting = false;
        _idleSince = now;
    }

    /// <summary>How late a request is that was meant to leave earlier and leaves now: for want of a connection, and by the generator.</summary>
    public (long Wanting, long Own) Split(long intended, long now)
    {
        var possible = Math.Clamp(_idleSince, intended, now);
        return (possible - intended, now - possible);
    }
}
