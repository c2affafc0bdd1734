namespace Weir.Execution.Lanes;

/// <summary>How many threads to start; a pure function of what the lane looks like.</summary>
internal static class LaneScaling
{
    /// <summary>A call that waits longer than this needs another thread; shorter waits are bursts that parked threads absorb.</summary>
    internal static readonly TimeSpan Patience = TimeSpan.FromMilliseconds(1);

    /// <summary>
    /// As many as wait, but in one step no more than half of what there is and 16, so that a short burst does not start
    /// a thousand; the next step follows a millisecond later.
    /// </summary>
    internal static int Decide(int queued, TimeSpan headAge, int threads, int maxThreads) =>
        queued == 0 || headAge < Patience
            ? 0
            : Math.Max(0, Math.Min(Math.Min(queued, maxThreads - threads), (threads / 2) + 16));
}
