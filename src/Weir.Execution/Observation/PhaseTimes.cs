namespace Weir.Execution.Observation;

/// <summary>Where the time of one call went.</summary>
/// <param name="Bind">Until its arguments were read: over HTTP, its body too. Zero for a call from code.</param>
/// <param name="Filters">From there until it reached the place where it runs: filters, and what surrounds the call.</param>
/// <param name="Queue">Until it had a worker or a thread; zero for a call that runs on its caller's flow.</param>
/// <param name="Run">From there to its outcome: its own code, and for a worker also the way there and back.</param>
/// <param name="Write">From its outcome until its response was handed to the server; zero for a call from code.</param>
internal readonly record struct PhaseTimes(TimeSpan Bind, TimeSpan Filters, TimeSpan Queue, TimeSpan Run, TimeSpan Write)
{
    /// <summary>All phases together.</summary>
    public TimeSpan Total => Bind + Filters + Queue + Run + Write;

    /// <summary>A call of which only the whole time is known.</summary>
    public static PhaseTimes Of(TimeSpan total) => new(default, default, default, total, default);
}
