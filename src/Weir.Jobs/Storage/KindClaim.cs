namespace Weir.Jobs.Storage;

/// <summary>What may be claimed of one kind.</summary>
internal sealed class KindClaim
{
    public required string Kind { get; init; }

    /// <summary>How many at most.</summary>
    public required int Slots { get; init; }

    /// <summary>How many may run at once, in all processes; <c>null</c> for no limit. Keys that have as many as may are left out.</summary>
    public KindLimits? Limits { get; init; }

    /// <summary>Where the turns of priorities and keys are. The commit moves it.</summary>
    public JobTurn Turn { get; set; }

    // ---- filled in by the commit ----

    /// <summary>Whether no job of the kind is ready any more. One that is ready may have to wait: its kind is paused, or a limit is reached.</summary>
    public bool IsEmpty { get; set; }
}
