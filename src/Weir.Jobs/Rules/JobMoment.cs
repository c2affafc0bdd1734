namespace Weir.Jobs.Rules;

/// <summary>The circumstances of an event.</summary>
/// <param name="Now">When it happens.</param>
/// <param name="Random">0 to 1, for pauses that differ.</param>
internal readonly record struct JobMoment(DateTimeOffset Now, double Random)
{
    /// <summary>For what an attempt reports: the fence of its claim.</summary>
    public long Fence { get; init; }

    /// <summary>When the job may start again, where the event says so; <c>null</c> for its back-off, or at once.</summary>
    public DateTimeOffset? Due { get; init; }

    /// <summary>For a retry by hand: another open job holds the key by which this one is unique.</summary>
    public bool IsKeyHeld { get; init; }
}
