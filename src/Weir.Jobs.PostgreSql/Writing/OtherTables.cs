using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Rows;

namespace Weir.Jobs.PostgreSql.Writing;

/// <summary>Writes what a commit has changed besides jobs: idempotency keys, schedules and pauses.</summary>
internal sealed class OtherTables(Database database)
{
    private const string SameKey = "key.kind = u.kind AND key.key = u.key AND coalesce('o' || key.owner, '') = coalesce('o' || u.owner, '')";

    private readonly string _changeKeys =
        $"UPDATE {database.Schema}.key SET job = u.job, fingerprint = u.fingerprint, until = u.until FROM unnest($1, $2, $3, $4, $5, $6) AS u(kind, owner, key, job, fingerprint, until) WHERE {SameKey}";

    private readonly string _deleteKeys = $"DELETE FROM {database.Schema}.key USING unnest($1, $2, $3) AS u(kind, owner, key) WHERE {SameKey}";
    private readonly string _freeKeys = $"DELETE FROM {database.Schema}.key USING unnest($1, $2, $3, $4) AS u(kind, owner, key, job) WHERE {SameKey} AND key.job = u.job";

    private readonly string _writeSchedules =
        $"""
        INSERT INTO {database.Schema}.schedule AS old ({ScheduleRow.Columns}) SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, cron = excluded.cron, time_zone = excluded.time_zone, source = excluded.source, next = excluded.next, paused = excluded.paused,
          last_due = excluded.last_due, last_job = excluded.last_job, undeclared = excluded.undeclared
        """;

    private readonly string _deleteSchedules = $"DELETE FROM {database.Schema}.schedule WHERE name = ANY($1)";
    private readonly string _pause = $"INSERT INTO {database.Schema}.kind (name, paused) SELECT name, true FROM unnest($1) AS u(name) ON CONFLICT (name) DO NOTHING";
    private readonly string _resume = $"DELETE FROM {database.Schema}.kind WHERE name = ANY($1)";

    public void Write(Pipeline pipeline, WorkUnit unit)
    {
        WriteKeys(pipeline, unit.Keys);
        WriteSchedules(pipeline, unit);
        if (unit.Batch.Pauses.Count > 0)
        {
            // The last word on a kind counts.
            var kinds = unit.Batch.Pauses.Select(static pause => pause.Kind).Distinct().Order(StringComparer.Ordinal).ToLookup(unit.Paused.Contains, static kind => StoredText.Write(kind));
            pipeline.Add(_pause).With(kinds[true].ToArray());
            pipeline.Add(_resume).With(kinds[false].ToArray());
        }
    }

    private void WriteKeys(Pipeline pipeline, KeyTable keys)
    {
        var changed = keys.Changed.ToLookup(static one => one.Holder is not null);
        if (changed[true].ToList() is { Count: > 0 } taken)
        {
            pipeline.Add(_changeKeys)
                .With(taken.Select(static one => StoredText.Write(one.Key.Kind)).ToArray())
                .With(taken.Select(static one => StoredText.Write(one.Key.Owner)).ToArray())
                .With(taken.Select(static one => StoredText.Write(one.Key.Key)).ToArray())
                .With(taken.Select(static one => one.Holder!.Value.Job).ToArray())
                .With(taken.Select(static one => (long)one.Holder!.Value.Fingerprint).ToArray())
                .With(taken.Select(static one => (short)one.Holder!.Value.Until).ToArray());
        }

        if (changed[false].ToList() is { Count: > 0 } free)
        {
            pipeline.Add(_deleteKeys)
                .With(free.Select(static one => StoredText.Write(one.Key.Kind)).ToArray())
                .With(free.Select(static one => StoredText.Write(one.Key.Owner)).ToArray())
                .With(free.Select(static one => StoredText.Write(one.Key.Key)).ToArray());
        }

        if (keys.Freed.Count > 0)
        {
            pipeline.Add(_freeKeys)
                .With(keys.Freed.Select(static one => StoredText.Write(one.Key.Kind)).ToArray())
                .With(keys.Freed.Select(static one => StoredText.Write(one.Key.Owner)).ToArray())
                .With(keys.Freed.Select(static one => StoredText.Write(one.Key.Key)).ToArray())
                .With(keys.Freed.Select(static one => one.Job).ToArray());
        }
    }

    private void WriteSchedules(Pipeline pipeline, WorkUnit unit)
    {
        var written = unit.WrittenSchedules.Order(StringComparer.Ordinal).Select(name => unit.Schedules[name]).ToList();
        if (written.Count > 0)
        {
            pipeline.Add(_writeSchedules)
                .With(written.Select(static one => StoredText.Write(one.Name)).ToArray())
                .With(written.Select(static one => StoredText.Write(one.Kind)).ToArray())
                .With(written.Select(static one => StoredText.Write(one.Cron)).ToArray())
                .With(written.Select(static one => StoredText.Write(one.TimeZone)).ToArray())
                .With(written.Select(static one => (short)one.Source).ToArray())
                .With(written.Select(static one => one.Next?.UtcTicks).ToArray())
                .With(written.Select(static one => one.IsPaused).ToArray())
                .With(written.Select(static one => one.LastDue?.UtcTicks).ToArray())
                .With(written.Select(static one => one.LastJob).ToArray())
                .With(written.Select(static one => one.UndeclaredSince?.UtcTicks).ToArray());
        }

        if (unit.DeletedSchedules.Count > 0)
        {
            pipeline.Add(_deleteSchedules).With(unit.DeletedSchedules.Select(static name => StoredText.Write(name)).ToArray());
        }
    }
}
