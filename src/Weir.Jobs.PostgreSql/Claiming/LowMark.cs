namespace Weir.Jobs.PostgreSql.Claiming;

/// <summary>Up to which place no job is ready, in three ages: what was seen last may still change by transactions that are open, so only what is old enough is used.</summary>
internal struct LowMark
{
    private long _waiting;
    private long _next;

    // What was usable before a review; 0 where there is none.
    private long _reviewed;

    /// <summary>No job at this place or before is ready.</summary>
    public long Usable { get; private set; }

    /// <summary>It was seen that no job at this place or before is ready.</summary>
    public void See(long place)
    {
        _next = Math.Max(_next, place);
        if (place >= _reviewed)
        {
            (Usable, _reviewed) = (Math.Max(Usable, _reviewed), 0);
        }
    }

    /// <summary>Passes over nothing until it is seen once more that no job is ready where it passed.</summary>
    public void Review() => this = new LowMark { _reviewed = Math.Max(Usable, _reviewed) };

    /// <summary>What waited is old enough.</summary>
    public void Use() => (Usable, _waiting) = (Math.Max(Usable, _waiting), 0);

    /// <summary>What was seen since waits now.</summary>
    public void Wait() => (_waiting, _next) = (_next, 0);
}
