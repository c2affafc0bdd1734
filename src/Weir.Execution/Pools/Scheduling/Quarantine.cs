namespace Weir.Execution.Pools.Scheduling;

/// <summary>
/// Which calls kill their workers. A worker's death leaves a mark on the fingerprint of the call it ran; with enough of them the calls
/// of that fingerprint are turned away. A mark is lost when such a call is answered, and some time after its last death.
/// </summary>
/// <param name="kills">WorkerFailure before a call is turned away; 0 for never.</param>
/// <param name="hold">How long a mark lasts after its last death.</param>
/// <param name="forgiven">How many deaths without an explanation are held against a call, together, when there are so many; fewer count for nothing.</param>
internal sealed class Quarantine(int kills, TimeSpan hold, int forgiven)
{
    /// <summary>How many fingerprints are remembered; the one that is longest ago makes room.</summary>
    public const int Most = 64;

    // Made when the first worker dies of a call: in most pools none ever does.
    private Mark[] _marks = [];
    private TimeSpan _firstExpiry = TimeSpan.MaxValue;
    private int _watched;

    /// <summary>How many calls are remembered.</summary>
    public int Count { get; private set; }

    /// <summary>
    /// Whether calls are compared with the marks at all. Not while nothing died, nor after single deaths without an explanation: then no
    /// fingerprint is taken of the calls that come and are answered.
    /// </summary>
    public bool IsComparing => _watched > 0;

    /// <summary>A worker died while it ran this call.</summary>
    /// <param name="call">The call.</param>
    /// <param name="isExplained">Otherwise a signal ended the worker that anybody may have sent.</param>
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

    /// <summary>A worker answered this call: it does not kill.</summary>
    public void Clear(CallEntry call, TimeSpan now)
    {
        if (Compares(now) && Find(call.Fingerprint) is >= 0 and var at && _marks[at].IsWatched)
        {
            _marks[at] = _marks[--Count];
            Recount();
        }
    }

    /// <summary>Whether such a call is turned away now.</summary>
    public bool Holds(CallEntry call, TimeSpan now) => Compares(now) && Find(call.Fingerprint) is >= 0 and var at && _marks[at].Kills >= kills;

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

        // One death without an explanation says nothing: it may be anybody's kill, and comparing costs every call something.
        public readonly bool IsWatched => Kills > 0 || Unexplained > 1;
    }
}
