namespace Weir.Execution.Pools.Scheduling;

/// <summary>
/// Whether a call is retried after its worker failed while it ran the call: only if its author allowed it, no item was received or
/// requested, it has not been tried too often, and calls like it are not in quarantine.
/// </summary>
internal static class Retry
{
    /// <summary>One attempt has failed: whether there is another one.</summary>
    public static bool May(PoolTable table, CallEntry call, TimeSpan now) =>
        ++call.Attempts <= (call.Retries ?? table.Settings.MostRetries)
        && call is { IsIdempotent: true, HasItems: false, IsCancelled: false }
        && !table.IsAborted
        && !table.Quarantine.Holds(call, now);
}
