using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Retention;
using Weir.Jobs.PostgreSql.Rows;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Writing;

/// <summary>
/// Jobs whose time has come become ready, and those that have not begun in time end: in one statement each. It says what <see cref="JobRules"/> say of <see cref="JobEvent.Due"/> and
/// <see cref="JobEvent.Expired"/>. A row that another process has locked is left to it.
/// </summary>
internal sealed class DueJobs(Database database)
{
    private const int Most = 1_000;
    private const string MayExpire = "expires <> 0 AND state <= 2 AND starts = 0";

    private readonly string _move =
        $"""
        WITH due AS MATERIALIZED (SELECT id, due, seq FROM {database.Schema}.job WHERE state = 1 AND due <= $1 ORDER BY due, seq LIMIT {Most} FOR UPDATE SKIP LOCKED),
        placed AS (SELECT id, row_number() OVER (ORDER BY due, seq) AS place FROM due)
        UPDATE {database.Schema}.job SET state = 2, ready = $2 + placed.place FROM placed WHERE job.id = placed.id AND job.id = ANY (ARRAY(SELECT id FROM due)) RETURNING job.kind
        """;

    private readonly string _expire =
        $"""
        WITH late AS MATERIALIZED (SELECT id FROM {database.Schema}.job WHERE {MayExpire} AND expires <= $1 ORDER BY expires, seq LIMIT {Most} FOR UPDATE SKIP LOCKED),
        gone AS (DELETE FROM {database.Schema}.job WHERE id = ANY (ARRAY(SELECT id FROM late)) RETURNING job.*),
        free AS (
          DELETE FROM {database.Schema}.key USING gone
          WHERE gone.unique_until = 1 AND gone.idempotency_key IS NOT NULL AND key.kind = gone.kind AND key.key = gone.idempotency_key AND coalesce('o' || key.owner, '') = coalesce('o' || gone.owner, '')
            AND key.job = gone.id)
        INSERT INTO {database.Schema}.done_short ({JobColumns.All}, result, ended_day)
        SELECT {JobColumns.All.Replace(" state,", " 7,", StringComparison.Ordinal).Replace(" ended,", " $1,", StringComparison.Ordinal)}, NULL, {Partitions.Today} FROM gone
        RETURNING id, kind, watched, expires, seq
        """;

    private readonly string _next =
        $"SELECT (SELECT due FROM {database.Schema}.job WHERE state = 1 ORDER BY due LIMIT 1), (SELECT expires FROM {database.Schema}.job WHERE {MayExpire} ORDER BY expires LIMIT 1)";

    /// <summary>Adds both.</summary>
    public void Move(Pipeline pipeline, WorkUnit unit)
    {
        pipeline.Query(_move, row =>
        {
            var kind = StoredText.Read(row.GetString(0));
            unit.Batch.ReadyKinds.Add(kind);
            unit.News.ReadyKinds.Add(kind);
        }).With(unit.Batch.Now.UtcTicks).With(unit.NextReady());
        pipeline.Query(_expire, row => unit.Expired.Add((new ExpiredJob(row.GetGuid(0), StoredText.Read(row.GetString(1))), row.GetBoolean(2), row.GetInt64(3), row.GetInt64(4)))).With(unit.Batch.Now.UtcTicks);
        FindNext(pipeline, unit);
    }

    /// <summary>After both: the order of those that have ended, and whether there are more.</summary>
    public static void Finish(WorkUnit unit)
    {
        unit.Expired.Sort(static (a, b) => (a.Expires, a.Seq).CompareTo((b.Expires, b.Seq)));
        foreach (var (job, isWatched, _, _) in unit.Expired)
        {
            unit.Batch.Expired.Add(job);
            if (isWatched)
            {
                unit.News.Changed(job.Id, hasEnded: true);
            }
        }

        unit.Batch.IsBehind = unit.Expired.Count == Most && unit.NextExpiry is { } next && next <= unit.Batch.Now.UtcTicks;
    }

    /// <summary>Adds the question when the next job becomes ready, or has not begun in time.</summary>
    public void FindNext(Pipeline pipeline, WorkUnit unit) => pipeline.Query(_next, row =>
    {
        unit.NextExpiry = row.IsDBNull(1) ? null : row.GetInt64(1);
        var due = row.IsDBNull(0) ? unit.NextExpiry : Math.Min(row.GetInt64(0), unit.NextExpiry ?? long.MaxValue);
        unit.Batch.NextDue = due is { } ticks ? RowReader.Time(ticks) : null;
    });
}
