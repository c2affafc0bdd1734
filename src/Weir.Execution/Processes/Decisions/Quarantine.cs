namespace Weir.Execution.Processes;

/// <summary>
/// Which calls kill their workers: a call with the fingerprint of one that killed several, and did not survive in between, is
/// turned away for a while. Afterwards one death is enough for the next while.
/// </summary>
/// <param name="kills">Deaths before a call is turned away; 0 for never.</param>
/// <param name="hold">How long.</param>
internal sealed class Quarantine(int kills, TimeSpan hold)
{
    /// <summary>How many fingerprints are remembered; the one that is longest ago makes room.</summary>
    public const int Most = 64;

    // Made when the first worker dies of a call: in most pools none ever does.
    private Suspect[] _suspects = [];

    /// <summary>How many calls are remembered. Nobody's fingerprint is asked for while there are none.</summary>
    public int Count { get; private set; }

    /// <summary>A worker died while it ran this call.</summary>
    public void Blame(CallEntry call, TimeSpan now)
    {
        if (kills == 0 || call.Fingerprint is not (> 0 and var fingerprint))
        {
            return;
        }

        var at = Find(call);
        if (at < 0)
        {
            _suspects = _suspects.Length > 0 ? _suspects : new Suspect[Most];
            at = Count < Most ? Count++ : Oldest();
            _suspects[at] = new Suspect { Fingerprint = fingerprint };
        }

        _suspects[at].Kills++;
        _suspects[at].Last = now;
    }

    /// <summary>A worker answered this call: it kills nobody.</summary>
    public void Clear(CallEntry call)
    {
        if (Count > 0 && Find(call) is >= 0 and var at)
        {
            _suspects[at] = _suspects[--Count];
        }
    }

    /// <summary>Whether such a call is turned away now.</summary>
    public bool Holds(CallEntry call, TimeSpan now)
    {
        if (Count == 0 || Find(call) is not (>= 0 and var at) || _suspects[at].Kills < kills)
        {
            return false;
        }

        if (now - _suspects[at].Last < hold)
        {
            return true;
        }

        _suspects[at].Kills = kills - 1;
        return false;
    }

    private int Find(CallEntry call)
    {
        var fingerprint = call.Fingerprint;
        for (var i = 0; i < Count; i++)
        {
            if (_suspects[i].Fingerprint == fingerprint)
            {
                return i;
            }
        }

        return -1;
    }

    private int Oldest()
    {
        var oldest = 0;
        for (var i = 1; i < Count; i++)
        {
            if (_suspects[i].Last < _suspects[oldest].Last)
            {
                oldest = i;
            }
        }

        return oldest;
    }

    private struct Suspect
    {
        public ulong Fingerprint;
        public int Kills;
        public TimeSpan Last;
    }
}
