namespace Weir.Jobs.Storage;

/// <summary>What may be claimed of one kind.</summary>
internal sealed class KindClaim
{
    public required string Kind { get; init; }

    /// <summary>How many at most.</summary>
    public required int Slots { get; init; }

    /// <summary>The key that was served last: the next one in ordinal order is next, and after the last one the first. <c>null</c> begins with the first. The commit moves it.</summary>
    public string? AfterKey { get; set; }

    // ---- filled in by the commit ----

    /// <summary>Whether no job of the kind is ready any more.</summary>
    public bool IsEmpty { get; set; }
}
