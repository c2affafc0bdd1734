namespace Weir.Execution.Pools.Scheduling;

/// <summary>
/// Which calls make their workers fail. A worker failure counts in the mark of the fingerprint of the call it ran; with enough of them
/// the calls of that fingerprint are rejected. A mark is removed when such a call is answered, and some time after its last failure.
/// </summary>
/// <param name="kills">Worker failures before a call is rejected; 0 for never.</param>
/// <param name="hold">How long a mark lasts after its last worker failure.</param>
/// <param name="forgiven">How many unexplained worker failures are needed before they count against a call, then all together; fewer do not count.</param>
internal sealed class Quarantine(int kills, TimeSpan hold, int forgiven)
{
    /// <summary>How many fingerprints are remembered; a new one replaces the one whose last failure is the oldest.</summary>
    public const int Most = 64;

    // Created when the first worker fails because of a call: in most pools that never happens.
    private Mark[] _marks = [];
    private TimeSpan _firstExpiry = TimeSpan.MaxValue;
    private int _watched;

    /// <summary>How many fingerprints are remembered.</summary>
    public int Count { get; private set; }

    /// <summary>
    /// Whether calls are compared with the marks at all. Not while no worker has failed, nor after single unexplained failures: then no
    /// fingerprint is computed for the calls that arrive and are answered.
    /// </summary>
    public bool IsComparing => _watched > 0;

    /// <summary>A worker failed while it ran this call.</summary>
    /// <param name="call">The call.</param>
    /// <param name="isExplained">Otherwise the worker was ended by a signal that any process may have sent.</param>
    /// <param name="now">The pool's time.</param>
    public void Blame(CallEntry call, bool isExplained, TimeSpan now)
    {
        if (kills == 0 || call.Fingerprint is not (> 0 and var fingerprint))
        {
            return;
        }

        Expire(now);
        var at = Find(fingerprint);
        if (at < 0)
        {
            _marks = _marks.Length > 0 ? _marks : new Mark[Most];
            at = Count < Most ? Count++ : Oldest();
            _marks[at] = new Mark { Fingerprint = fingerprint };
        }

        ref var mark = ref _marks[at];
        mark.Unexplained += isExplained ? 0 : 1;
        mark.Kills += isExplained || mark.Unexplained > forgiven ? 1 : mark.Unexplained == forgiven ? forgiven : 0;
        mark.Last = now;
        Recount();
    }

    /// <summary>A worker answered this call: it does not make workers fail.</summary>
    public void Clear(CallEntry call, TimeSpan now)
    {
        if (Compares(now) && Find(call.Fingerprint) is >= 0 and var at && _marks[at].IsWatched)
        {
            _marks[at] = _marks[--Count];
            Recount();
        }
    }

    /// <summary>Whether such a call is rejected now.</summary>
    public bool Holds(CallEntry call, TimeSpan now) => Compares(now) && Find(call.Fingerprint) is >= 0 and var at && _marks[at].Kills >= kills;

    /// <summary>How many fingerprints are rejected now.</summary>
    public int CountHeld(TimeSpan now)
    {
        var held = 0;
        foreach (ref readonly var mark in _marks.AsSpan(0, Count))
        {
            held += mark.Kills >= kills && now - mark.Last < hold ? 1 : 0;
        }

        return held;
    }

    private bool Compares(TimeSpan now)
    {
        if (_watched > 0)
        {
            Expire(now);
        }

        return _watched > 0;
    }

    private void Expire(TimeSpan now)
    {
        if (now < _firstExpiry)
        {
            return;
        }

        for (var i = Count - 1; i >= 0; i--)
        {
            if (now - _marks[i].Last >= hold)
            {
                _marks[i] = _marks[--Count];
            }
        }

        Recount();
    }

    private void Recount()
    {
        _watched = 0;
        var first = TimeSpan.MaxValue;
        foreach (ref readonly var mark in _marks.AsSpan(0, Count))
        {
            _watched += mark.IsWatched ? 1 : 0;
            first = mark.Last < first ? mark.Last : first;
        }

        _firstExpiry = Count > 0 ? first + hold : first;
    }

    private int Find(ulong fingerprint)
    {
        for (var i = 0; i < Count; i++)
        {
            if (_marks[i].Fingerprint == fingerprint)
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
            if (_marks[i].Last < _marks[oldest].Last)
            {
                oldest = i;
            }
        }

        return oldest;
    }

    private struct Mark
    {
        public ulong Fingerprint;
        public int Kills;
        public int Unexplained;
        public TimeSpan Last;

        // One unexplained failure proves nothing: any process may have sent the signal, and comparing has a cost for every call.
        public readonly bool IsWatched => Kills > 0 || Unexplained > 1;
    }
}
