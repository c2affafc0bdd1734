namespace Weir.Jobs.Storage;

/// <summary>What a store that is opened contains.</summary>
internal sealed record JobStoreContent
{
    /// <summary>Attempts that another process had claimed, and that it cannot run any more.</summary>
    public required IReadOnlyList<LostAttempt> Lost { get; init; }

    /// <summary>The kinds that have jobs which are ready.</summary>
    public required IReadOnlyList<string> ReadyKinds { get; init; }

    /// <summary>When the next job becomes ready; <c>null</c> where none waits for a time.</summary>
    public DateTimeOffset? NextDue { get; init; }
}
