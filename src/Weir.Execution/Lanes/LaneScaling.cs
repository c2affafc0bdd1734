namespace Weir.Execution.Lanes;

/// <summary>How many threads to start; a pure function of the lane's state.</summary>
internal static class LaneScaling
{
    /// <summary>A call that waits longer than this needs another thread; existing threads absorb shorter waits.</summary>
    internal static readonly TimeSpan Patience = TimeSpan.FromMilliseconds(1);

    /// <summary>
    /// As many as there are waiting calls, but in one step at most half of the existing threads plus 16, so that a short peak does not
    /// start a thousand; the next step follows a millisecond later.
    /// </summary>
    internal static int Decide(int queued, TimeSpan headAge, int threads, int maxThreads) =>
        queued == 0 || headAge < Patience
            ? 0
            : Math.Max(0, Math.Min(Math.Min(queued, maxThreads - threads), (threads / 2) + 16));
}
