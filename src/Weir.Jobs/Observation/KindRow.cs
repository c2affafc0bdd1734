using Weir.Jobs.Diagnostics;

namespace Weir.Jobs.Observation;

/// <summary>One kind of job in a list.</summary>
/// <param name="Name">What the store calls it.</param>
/// <param name="Waiting">About how many of its jobs wait, for a time or for a place; <c>null</c> where that is not known.</param>
/// <param name="Running">How many run in this process.</param>
/// <param name="IsPaused">Whether none is started.</param>
/// <param name="Figures">Its last minute in this process.</param>
internal sealed record KindRow(string Name, long? Waiting, int Running, bool IsPaused, KindFigures Figures)
{
    /// <summary>Whether there is anything to see.</summary>
    public bool IsActive => Waiting > 0 || Running > 0 || IsPaused || Figures is { Ended: > 0 } or { P50: not null };
}
