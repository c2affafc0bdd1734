namespace Weir;

/// <summary>A kind of job of this application. Immutable.</summary>
public sealed record JobKindInfo
{
    /// <summary>Its name.</summary>
    public required string Name { get; init; }

    /// <summary>Whether it is paused: <see cref="IJobs.PauseAsync"/>.</summary>
    public bool IsPaused { get; init; }

    /// <summary>How many of its jobs run in this process.</summary>
    public int Running { get; init; }
}
