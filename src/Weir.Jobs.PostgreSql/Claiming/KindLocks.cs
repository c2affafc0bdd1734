using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Rows;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Claiming;

/// <summary>Makes processes start jobs of kinds with limits one after the other, and counts what runs: a lock for each kind until the transaction ends.</summary>
/// <param name="database">The names of tables.</param>
internal sealed class KindLocks(Database database)
{
    // In the order of the locks, not of the kinds: two kinds may have the same, and no process may wait for another that waits for it.
    private readonly string _lock =
        $"SELECT pg_advisory_xact_lock(lock) FROM (SELECT DISTINCT hashtextextended('{database.SchemaName.Replace("'", "''", StringComparison.Ordinal)}/limits/' || kind, 0) AS lock FROM unnest($1) AS kind ORDER BY 1) AS locks";

    private readonly string _count = $"SELECT kind, key, count(*)::int FROM {database.Schema}.job WHERE state = 3 AND kind = ANY($1) GROUP BY kind, key";

    /// <summary>The kinds of a batch of which no more jobs may start than their limits allow.</summary>
    public static IEnumerable<string> KindsOf(JobBatch batch) =>
        batch.Claims.SelectMany(static claim => claim.Kinds).Where(static kind => IsLimited(kind.Limits)).Select(static kind => kind.Kind)
            .Concat(batch.Jobs.Concat(batch.ScheduleChanges.Select(static change => change.Job).OfType<NewJob>()).Where(static job => job.Starts && IsLimited(job.Limits)).Select(static job => job.Kind))
            .Distinct(StringComparer.Ordinal);

    /// <summary>
    /// Locks kinds, and then counts what runs of them. These statements come first in a transaction, before any row is locked: a transaction that has the lock of a kind may wait for rows, one that has rows must not wait for a kind.
    /// </summary>
    /// <param name="pipeline">Statements are added to it.</param>
    /// <param name="kinds">At least one.</param>
    /// <param name="running">Has the counts when the statements have run. The flow that changes rows keeps them up to date.</param>
    public void Append(Pipeline pipeline, IReadOnlyCollection<string> kinds, Dictionary<string, RunningCounts> running)
    {
        foreach (var kind in kinds)
        {
            running[kind] = new RunningCounts();
        }

        var stored = kinds.Select(static kind => StoredText.Write(kind)).ToArray();
        pipeline.Query(_lock, static _ => { }).With(stored);
        pipeline.Query(_count, reader => running[StoredText.Read(reader.GetString(0))].Add(StoredText.Read(reader.GetString(1)), reader.GetInt32(2))).With(stored);
    }

    private static bool IsLimited(KindLimits? limits) => limits is { MaxPerKey: not null } or { MaxTotal: not null };
}
