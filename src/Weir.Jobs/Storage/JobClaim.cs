namespace Weir.Jobs.Storage;

/// <summary>
/// Up to so many jobs of these kinds, which share places: one of each kind in turn, and within a kind by priority, then one of each key in turn, then the oldest.
/// </summary>
internal sealed class JobClaim
{
    /// <summary>How many at most, of all kinds together.</summary>
    public required int Slots { get; init; }

    /// <summary>The kinds, in the order in which they take turns.</summary>
    public required IReadOnlyList<KindClaim> Kinds { get; init; }

    // ---- filled in by the commit ----

    /// <summary>What was claimed.</summary>
    public List<ClaimedJob> Jobs { get; } = [];
}
