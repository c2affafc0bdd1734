namespace Weir.Execution.Observation;

/// <summary>The thread pool of this process, as far as it is in trouble.</summary>
/// <param name="Since">Since when it is starved (events 4403 to 4405); <c>null</c> while it is not.</param>
/// <param name="Blocking">The operations that block its threads while it is starved, <c>Service/Operation</c>, and how many threads each; the most first.</param>
/// <param name="BlockedCalls">The calls so far, of each operation that ever blocked a thread (events 4401 and 4402).</param>
internal sealed record StarvationReading(DateTimeOffset? Since, IReadOnlyList<(string Operation, int Threads)> Blocking, IReadOnlyList<(string Operation, long Calls)> BlockedCalls)
{
    /// <summary>Nothing is observed.</summary>
    public static StarvationReading None { get; } = new(null, [], []);
}
