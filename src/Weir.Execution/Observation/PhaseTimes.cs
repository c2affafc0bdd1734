namespace Weir.Execution.Observation;

/// <summary>Where the time of one call went.</summary>
/// <param name="Filters">Until it reached the place where it runs: filters, and what surrounds the call.</param>
/// <param name="Queue">Until it had a worker or a thread; zero for a call that runs on its caller's flow.</param>
/// <param name="Run">From there to its outcome: its own code, and for a worker also the way there and back.</param>
internal readonly record struct PhaseTimes(TimeSpan Filters, TimeSpan Queue, TimeSpan Run)
{
    /// <summary>All phases together.</summary>
    public TimeSpan Total => Filters + Queue + Run;
}
