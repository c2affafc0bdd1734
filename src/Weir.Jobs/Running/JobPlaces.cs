using Weir.Jobs.Storage;

namespace Weir.Jobs.Running;

/// <summary>The places in which jobs run: which are taken, and for which the store is asked. Belongs to <see cref="JobScheduler"/>, under its lock.</summary>
/// <param name="kinds">What this process runs.</param>
/// <param name="most">How many jobs run at once at most; the first job of a kind does not count.</param>
internal sealed class JobPlaces(JobKinds kinds, int most)
{
    private int _running;

    // The kind whose group is asked for first: another one each time, so that where all share one limit each has its turn.
    private int _first;

    // While claims are made: for how many jobs they ask.
    private int _asked;

    /// <summary>Whether the store may have a job for a place that is free.</summary>
    public bool MayClaim => kinds.All.Any(MayClaimOf);

    /// <summary>Whether a job starts with its acceptance: no other job has waited for the place.</summary>
    public bool MayStart(JobKind kind) => kind is { IsRun: true, IsPaused: false, HasBlocked: false } && RoomOf(kind) > 0 && !kind.Group.Kinds.Any(static one => one is { HasReady: true, IsPaused: false });

    /// <summary>The store may have a job of a kind that is ready.</summary>
    public void Ready(string name)
    {
        if (kinds.Find(name) is { IsRun: true } kind)
        {
            kind.HasReady = true;
        }
    }

    /// <summary>A job of a kind reports: it may run no more, so that one that limits keep waiting may start.</summary>
    public void Freed(string? name)
    {
        if (name is not null && kinds.Find(name) is { HasBlocked: true } kind)
        {
            kind.HasReady = true;
        }
    }

    /// <summary>A kind is paused, or resumed.</summary>
    public void Pause(string name, bool isPaused)
    {
        if (kinds.Find(name) is { } kind)
        {
            kind.IsPaused = isPaused;
            kind.HasReady |= !isPaused && kind.IsRun;
        }
    }

    public void Take(JobKind kind)
    {
        kind.Running++;
        kind.Group.Free--;
        _running++;
    }

    public void Release(JobKind kind)
    {
        kind.Running--;
        kind.Group.Free++;
        _running--;
    }

    /// <summary>Asks for jobs for the places that are free. What is accepted, due or ready again in the same commit without a place is claimed with the next one.</summary>
    /// <param name="claims">Claims are added to it.</param>
    /// <param name="mostOfGroup">How many a group asks for at most.</param>
    public void Claim(List<JobClaim> claims, int mostOfGroup)
    {
        HashSet<SlotGroup>? seen = null;
        var (all, first) = (kinds.All, _first);
        for (var index = 0; index < all.Count; index++)
        {
            var at = (first + index) % all.Count;
            if (MayClaimOf(all[at]) && (seen ??= []).Add(all[at].Group))
            {
                var claim = ClaimOf(all[at].Group, mostOfGroup);
                claims.Add(claim);
                _asked += claim.Slots;
                _first = seen.Count == 1 ? (at + 1) % all.Count : _first;
            }
        }

        _asked = 0;
    }

    /// <summary>Takes the places of what was claimed.</summary>
    /// <returns>The jobs with their kinds.</returns>
    public IEnumerable<(ClaimedJob Job, JobKind Kind)> Take(JobClaim claim)
    {
        foreach (var one in claim.Kinds)
        {
            var kind = kinds.Find(one.Kind)!;
            kind.Turn = one.Turn;

            // A store that gives nothing has nothing that may start.
            kind.HasReady = !one.IsEmpty && claim.Jobs.Count > 0;
            kind.HasBlocked = !one.IsEmpty && kind.Limits is not null;
        }

        foreach (var claimed in claim.Jobs)
        {
            var kind = kinds.Find(claimed.Record.Kind)!;
            Take(kind);
            yield return (claimed, kind);
        }
    }

    private bool MayClaimOf(JobKind kind) => kind is { IsRun: true, HasReady: true, IsPaused: false } && RoomOf(kind) > 0;

    // The first job of a kind starts although others use up the limit.
    private int RoomOf(JobKind kind)
    {
        var running = _running + _asked;
        return Math.Min(Math.Min(kind.Concurrency - kind.Running, kind.Group.Free), running < most ? most - running : kind.Running == 0 ? 1 : 0);
    }

    private JobClaim ClaimOf(SlotGroup group, int mostOfGroup)
    {
        List<KindClaim> kindClaims = [];
        var slots = (long)Math.Max(0, most - _running - _asked);
        foreach (var kind in group.InTurn())
        {
            if (MayClaimOf(kind))
            {
                slots += kind.Running == 0 ? 1 : 0;
                kindClaims.Add(new KindClaim { Kind = kind.Name, Slots = RoomOf(kind), Limits = kind.Limits, Turn = kind.Turn });
            }
        }

        return new JobClaim { Slots = (int)Math.Min(Math.Min(group.Free, slots), mostOfGroup), Kinds = kindClaims };
    }
}
