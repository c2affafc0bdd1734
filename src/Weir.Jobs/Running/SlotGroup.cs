namespace Weir.Jobs.Running;

/// <summary>Places that the kinds of one executor share: those of a pool, or of one kind that runs in the host. Belongs to <see cref="JobPlaces"/>, under its lock.</summary>
/// <param name="slots">How many jobs may run at once.</param>
internal sealed class SlotGroup(int slots)
{
    // As many as there are kinds.
    private readonly List<JobKind> _kinds = [];
    private int _next;

    /// <summary>How many more may run.</summary>
    public int Free { get; set; } = slots;

    public IReadOnlyList<JobKind> Kinds => _kinds;

    private int Slots { get; } = slots;

    /// <summary>How many jobs of all its kinds may run at once.</summary>
    public long Most => Math.Min(Slots, _kinds.Sum(static kind => (long)kind.Concurrency));

    public void Add(JobKind kind) => _kinds.Add(kind);

    /// <summary>The kinds that may have jobs, beginning with another one each time.</summary>
    public IEnumerable<JobKind> InTurn()
    {
        for (var index = 0; index < _kinds.Count; index++)
        {
            yield return _kinds[(_next + index) % _kinds.Count];
        }

        _next = (_next + 1) % Math.Max(1, _kinds.Count);
    }
}
