namespace Weir.Execution.Inline;

/// <summary>When the starvation of the thread pool is reported: a rule without a clock.</summary>
/// <param name="threshold">Work that waits for less is not reported.</param>
internal sealed class StarvationReports(TimeSpan threshold)
{
    /// <summary>How often it is reported at most.</summary>
    public static readonly TimeSpan Pause = TimeSpan.FromSeconds(30);

    // When the starvation began that was reported and has not ended.
    private TimeSpan? _began;
    private TimeSpan? _reported;

    /// <summary>Work still waits for a thread.</summary>
    /// <param name="waited">How long.</param>
    /// <param name="now">The time.</param>
    /// <returns>Whether that is to be reported.</returns>
    public bool Waits(TimeSpan waited, TimeSpan now)
    {
        if (waited < threshold || now - _reported < Pause)
        {
            return false;
        }

        _began ??= now - waited;
        _reported = now;
        return true;
    }

    /// <summary>The work has run.</summary>
    /// <param name="now">The time.</param>
    /// <returns>How long the starvation lasted; <c>null</c> where none was reported.</returns>
    public TimeSpan? Ran(TimeSpan now)
    {
        var lasted = now - _began;
        _began = null;
        return lasted;
    }
}
