namespace Weir.Jobs.PostgreSql.Claiming;

/// <summary>Up to which place no job is ready, in three ages: what was seen last may still change by transactions that are open, so only what is old enough is used.</summary>
internal struct LowMark
{
    private long _waiting;
    private long _next;

    /// <summary>No job at this place or before is ready.</summary>
    public long Usable { get; private set; }

    /// <summary>It was seen that no job at this place or before is ready.</summary>
    public void See(long place) => _next = Math.Max(_next, place);

    /// <summary>What waited is old enough.</summary>
    public void Use() => (Usable, _waiting) = (Math.Max(Usable, _waiting), 0);

    /// <summary>What was seen since waits now.</summary>
    public void Wait() => (_waiting, _next) = (_next, 0);
}
