namespace Weir.Jobs.Storage;

/// <summary>
/// Up to so many jobs of these kinds, which share places: one of each kind in turn, and within a kind the priorities in turn by their weights, within a priority one of each key in turn, then the oldest.
/// </summary>
internal sealed class JobClaim
{
    /// <summary>How many at most, of all kinds together.</summary>
    public required int Slots { get; init; }

    /// <summary>The kinds, in the order in which they take turns.</summary>
    public required IReadOnlyList<KindClaim> Kinds { get; init; }

    /// <summary>This job and no other, where it is ready and its kind is not paused, whatever the turns and limits are: for tests of applications. Only the store in memory knows it; <c>null</c> otherwise.</summary>
    public Guid? Only { get; init; }

    // ---- filled in by the commit ----

    /// <summary>What was claimed.</summary>
    public List<ClaimedJob> Jobs { get; } = [];
}
