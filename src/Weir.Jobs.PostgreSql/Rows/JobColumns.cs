namespace Weir.Jobs.PostgreSql.Rows;

/// <summary>The columns of a job.</summary>
internal static class JobColumns
{
    /// <summary>All of them, also of one that has ended.</summary>
    public const string All =
        "id, seq, signature, ready, due, first_due, expires, fence, not_understood, submitted, started, ended, items, fingerprint, progress, run, attempts, starts, failures, crashes, losses, retries, refusals, "
        + "first_day, state, priority, reason, stop, unique_until, open, watched, replica, parent, kind, key, owner, trace_parent, trace_state, culture, idempotency_key, progress_text, failure, arguments";
}
