namespace Weir.Jobs.Storage;

/// <summary>What a store that is opened contains.</summary>
internal sealed record JobStoreContent
{
    /// <summary>Attempts that another process had claimed, and that it cannot run any more.</summary>
    public required IReadOnlyList<LostAttempt> Lost { get; init; }

    /// <summary>The kinds that have jobs which are ready.</summary>
    public required IReadOnlyList<string> ReadyKinds { get; init; }

    /// <summary>The kinds that are paused.</summary>
    public IReadOnlyList<string> PausedKinds { get; init; } = [];

    /// <summary>Whether an earlier process declared schedules.</summary>
    public bool HasSchedules { get; init; }

    /// <summary>When the next job becomes ready, or has not begun in time; <c>null</c> where none waits for a time.</summary>
    public DateTimeOffset? NextDue { get; init; }
}
