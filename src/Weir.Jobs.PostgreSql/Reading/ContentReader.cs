using Npgsql;
using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Rows;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Reading;

/// <summary>Reads what a process has to know that opens the store.</summary>
internal static class ContentReader
{
    public static async Task<JobStoreContent> ReadAsync(Database database, NpgsqlConnection connection, Guid replica, bool isAlone, CancellationToken cancellationToken)
    {
        var (lost, ready, paused) = (new List<LostAttempt>(), new List<string>(), new List<string>());
        var (hasSchedules, next) = (false, default(DateTimeOffset?));
        var pipeline = new Pipeline(connection);
        if (isAlone)
        {
            pipeline.Query(
                $"SELECT id, kind, fence, items FROM {database.Schema}.job WHERE state = 3 AND replica <> $1",
                row => lost.Add(new LostAttempt(row.GetGuid(0), StoredText.Read(row.GetString(1)), row.GetInt64(2), row.GetInt64(3)))).With(replica);
        }

        pipeline.Query(
            $"""
            WITH RECURSIVE ready AS (
              (SELECT kind FROM {database.Schema}.job WHERE state = 2 ORDER BY kind LIMIT 1)
              UNION ALL
              SELECT (SELECT job.kind FROM {database.Schema}.job WHERE state = 2 AND job.kind > ready.kind ORDER BY job.kind LIMIT 1) FROM ready WHERE ready.kind IS NOT NULL)
            SELECT kind FROM ready WHERE kind IS NOT NULL
            """,
            row => ready.Add(StoredText.Read(row.GetString(0))));
        pipeline.Query($"SELECT name FROM {database.Schema}.kind WHERE paused", row => paused.Add(StoredText.Read(row.GetString(0))));
        pipeline.Query($"SELECT EXISTS (SELECT FROM {database.Schema}.schedule)", row => hasSchedules = row.GetBoolean(0));
        pipeline.Query(
            $"SELECT least((SELECT min(due) FROM {database.Schema}.job WHERE state = 1), (SELECT min(expires) FROM {database.Schema}.job WHERE expires <> 0 AND state <= 2 AND starts = 0))",
            row => next = row.IsDBNull(0) ? null : RowReader.Time(row.GetInt64(0)));
        await pipeline.SendAsync(cancellationToken);
        return new JobStoreContent { Lost = lost, ReadyKinds = ready, PausedKinds = paused, HasSchedules = hasSchedules, NextDue = next };
    }
}
