namespace Weir.Execution.Pools.Scheduling;

/// <summary>
/// Whether a call whose worker died of it runs once more: only where its author allowed it, no item has been seen or asked for, it has not
/// been tried too often, and its like is not known to kill.
/// </summary>
internal static class Retry
{
    /// <summary>One attempt has failed; is there another one?</summary>
    public static bool May(PoolTable table, CallEntry call, TimeSpan now) =>
        ++call.Attempts <= table.Settings.MostRetries
        && call is { IsIdempotent: true, HasItems: false, CallerGone: false }
        && !table.IsAborted
        && !table.Quarantine.Holds(call, now);
}
