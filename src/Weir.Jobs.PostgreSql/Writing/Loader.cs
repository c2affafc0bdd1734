using Npgsql;
using Weir.Jobs.PostgreSql.Claiming;
using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Rows;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Writing;

/// <summary>Begins the transaction of a commit: reads and locks everything that its batch names. One trip, and further ones for what has ended already.</summary>
internal sealed class Loader(Database database)
{
    /// <summary>Of each transaction: what holds locks ends long before its process is presumed to be gone. Plans begin at an index and look rows up one by one: what is known of the sizes of these tables is always old.</summary>
    public const string Settings =
        """
        SELECT set_config('idle_in_transaction_session_timeout', '20s', true), set_config('statement_timeout', '30s', true), set_config('lock_timeout', '10s', true),
          set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true)
        """;

    // A transaction that gives places away has a number of its own before: by it, others see that it has not ended.
    private readonly string _numbers = $"SELECT pg_current_xact_id()::text, nextval('{database.Schema}.job_seq'), nextval('{database.Schema}.ready_seq')";
    private readonly string _mayStart = $"SELECT 1 FROM {database.Schema}.replica WHERE id = $1 AND NOT lost FOR KEY SHARE";
    private readonly string _open = $"SELECT {JobRow.Columns} FROM {database.Schema}.job WHERE id = ANY($1) ORDER BY id FOR UPDATE";
    private readonly string _short = $"SELECT {JobRow.Columns} FROM {database.Schema}.done_short WHERE id = ANY($1) ORDER BY id FOR UPDATE";
    private readonly string _long = $"SELECT {JobRow.Columns} FROM {database.Schema}.done_long WHERE id = ANY($1) ORDER BY id FOR UPDATE";
    private readonly string _paused = $"SELECT name FROM {database.Schema}.kind WHERE paused";
    private readonly string _ready = $"SELECT kind FROM unnest($1) AS kinds(kind) WHERE EXISTS (SELECT FROM {database.Schema}.job WHERE job.kind = kinds.kind AND state = 2)";
    private readonly KindLocks _limits = new(database);
    private readonly string _allSchedules = $"SELECT {ScheduleRow.Columns} FROM {database.Schema}.schedule ORDER BY name FOR UPDATE";
    private readonly string _schedules = $"SELECT {ScheduleRow.Columns} FROM {database.Schema}.schedule WHERE name = ANY($1) ORDER BY name FOR UPDATE";

    private readonly string _lastJobs =
        $"SELECT job.id FROM {database.Schema}.schedule JOIN {database.Schema}.job ON job.id = schedule.last_job WHERE schedule.name = ANY($1)";

    private readonly string _addKeys =
        $"""
        INSERT INTO {database.Schema}.key (kind, owner, key, job, fingerprint, until) SELECT * FROM unnest($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING
        """;

    private readonly string _keys =
        $"""
        SELECT n, key.job, key.fingerprint, key.until FROM unnest($1, $2, $3) WITH ORDINALITY AS wanted(kind, owner, key, n)
        JOIN {database.Schema}.key ON key.kind = wanted.kind AND key.key = wanted.key AND coalesce('o' || key.owner, '') = coalesce('o' || wanted.owner, '')
        ORDER BY n FOR UPDATE OF key
        """;

    /// <summary>Begins the transaction, and reads.</summary>
    public async Task LoadAsync(NpgsqlConnection connection, WorkUnit unit, CancellationToken cancellationToken)
    {
        var (batch, pipeline) = (unit.Batch, new Pipeline(connection));
        pipeline.Add("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE");
        pipeline.Query(Settings, static _ => { });
        if (KindLocks.KindsOf(batch).ToList() is { Count: > 0 } limited)
        {
            _limits.Append(pipeline, limited, unit.Running);
        }

        // Behind what may take long: claims pass over places that were given out some time ago and have no job.
        AddNumbers(pipeline, unit);
        NewJob[] jobs = [.. batch.Jobs, .. batch.ScheduleChanges.Select(static change => change.Job).OfType<NewJob>()];
        var starts = batch.Claims.Count > 0 || jobs.Any(static job => job.Starts);
        if (starts)
        {
            pipeline.Query(_mayStart, _ => unit.MayStart = true).With(unit.Replica);
        }

        var (ids, edited) = Named(batch);
        if (ids.Count > 0)
        {
            AddRows(pipeline, _open, RowPlace.Open, unit, [.. ids], edited);
        }

        AddKeys(pipeline, unit, jobs);
        AddSchedules(pipeline, unit);
        if (starts || batch.Pauses.Count > 0)
        {
            pipeline.Query(_paused, row => unit.Paused.Add(StoredText.Read(row.GetString(0))));
        }

        if (batch.Pauses.Where(static pause => !pause.IsPaused).Select(static pause => StoredText.Write(pause.Kind)).ToArray() is { Length: > 0 } resumed)
        {
            pipeline.Query(_ready, row => unit.ReadyKinds.Add(StoredText.Read(row.GetString(0)))).With(resumed);
        }

        await pipeline.SendAsync(cancellationToken);
        if (ids.Any(id => !unit.Rows.ContainsKey(id)))
        {
            await LoadEndedAsync(pipeline, unit, ids, edited, cancellationToken);
        }

        await LoadKeysOfRetriesAsync(pipeline, unit, cancellationToken);
        Check(unit);
    }

    /// <summary>Reads what jobs need that are stored in a transaction of the application.</summary>
    public async Task LoadAsync(NpgsqlConnection connection, WorkUnit unit, Action<Pipeline> before, CancellationToken cancellationToken)
    {
        var pipeline = new Pipeline(connection);
        before(pipeline);
        AddNumbers(pipeline, unit);
        AddKeys(pipeline, unit, unit.Batch.Jobs);
        await pipeline.SendAsync(cancellationToken);
        Check(unit);
    }

    private void AddNumbers(Pipeline pipeline, WorkUnit unit) => pipeline.Query(_numbers, row => unit.Begin(row.GetInt64(1), row.GetInt64(2)));

    // Also jobs of occurrences: an id that is taken fails the commit, whether or not the occurrence is.
    private static (HashSet<Guid> Ids, Guid[] Edited) Named(JobBatch batch)
    {
        var ids = new HashSet<Guid>(batch.Actions.Count);
        ids.UnionWith(batch.Actions.Select(static action => action.Id));
        ids.UnionWith(batch.Items.Select(static items => items.Id));
        ids.UnionWith(batch.Progress.Select(static progress => progress.Id));
        ids.UnionWith(batch.ScheduleChanges.Select(static change => change.Job?.Id).OfType<Guid>());
        return (ids, [.. batch.Actions.Where(static action => action.Happened == JobEvent.ArgumentsEdited).Select(static action => action.Id)]);
    }

    private static void AddRows(Pipeline pipeline, string sql, RowPlace place, WorkUnit unit, Guid[] ids, Guid[] edited) =>
        pipeline.Query(sql, row =>
        {
            var job = JobRow.Read(row, place);
            unit.Rows[job.Id] = job;
        }).With(ids).With(edited);

    // What is not there has ended, or was begun again since: then it is there. What is nowhere does not exist.
    private async Task LoadEndedAsync(Pipeline pipeline, WorkUnit unit, HashSet<Guid> ids, Guid[] edited, CancellationToken cancellationToken)
    {
        Guid[] missing = [.. ids.Where(id => !unit.Rows.ContainsKey(id))];
        AddRows(pipeline, _short, RowPlace.Short, unit, missing, edited);
        AddRows(pipeline, _long, RowPlace.Long, unit, missing, edited);
        AddRows(pipeline, _open, RowPlace.Open, unit, missing, edited);
        await pipeline.SendAsync(cancellationToken);
    }

    private void AddKeys(Pipeline pipeline, WorkUnit unit, IReadOnlyList<NewJob> jobs)
    {
        var wanted = new SortedDictionary<KeyId, NewJob>();
        foreach (var job in jobs)
        {
            if (job.IdempotencyKey is { } key && (!wanted.TryGetValue(new KeyId(job.Kind, job.Owner, key), out var before) || before.OnlyExisting))
            {
                wanted[new KeyId(job.Kind, job.Owner, key)] = job;
            }
        }

        if (wanted.Count > 0)
        {
            AddKeys(pipeline, unit, [.. wanted.Select(static one => (one.Key, new KeyHolder(one.Value.Id, one.Value.Fingerprint, one.Value.UniqueUntil), !one.Value.OnlyExisting))]);
        }
    }

    // A key that another process is about to take is waited for. One that is free is taken, and given back if its job is not stored.
    private void AddKeys(Pipeline pipeline, WorkUnit unit, (KeyId Key, KeyHolder Holder, bool Takes)[] wanted)
    {
        if (wanted.Where(static one => one.Takes).ToArray() is { Length: > 0 } taken)
        {
            Array.ForEach(taken, one => unit.Keys.Want(one.Key));
            WithKeys(pipeline.Add(_addKeys), taken.Select(static one => one.Key))
                .With(taken.Select(static one => one.Holder.Job).ToArray())
                .With(taken.Select(static one => (long)one.Holder.Fingerprint).ToArray())
                .With(taken.Select(static one => (short)one.Holder.Until).ToArray());
        }

        // A row of this commit has a job that is not stored yet, or one that has ended.
        var mine = wanted.Where(static one => one.Takes).Select(static one => one.Holder.Job).ToHashSet();
        WithKeys(
            pipeline.Query(_keys, row =>
            {
                var holder = new KeyHolder(row.GetGuid(1), (ulong)row.GetInt64(2), (JobUniqueness)row.GetInt16(3));
                unit.Keys.Load(wanted[row.GetInt64(0) - 1].Key, holder, !mine.Contains(holder.Job));
            }),
            wanted.Select(static one => one.Key));
    }

    private static NpgsqlBatchCommand WithKeys(NpgsqlBatchCommand command, IEnumerable<KeyId> keys)
    {
        var all = keys.ToList();
        return command
            .With(all.Select(static key => StoredText.Write(key.Kind)).ToArray())
            .With(all.Select(static key => StoredText.Write(key.Owner)).ToArray())
            .With(all.Select(static key => StoredText.Write(key.Key)).ToArray());
    }

    // Whether another job has the key of one that is retried by hand is known when that job is.
    private async Task LoadKeysOfRetriesAsync(Pipeline pipeline, WorkUnit unit, CancellationToken cancellationToken)
    {
        var retried = new SortedDictionary<KeyId, KeyHolder>();
        foreach (var action in unit.Batch.Actions)
        {
            if (action.Happened == JobEvent.RetriedByHand && unit.Find(action.Id) is { IdempotencyKey: { } key } row && new KeyId(row.Kind, row.Owner, key) is var id && !unit.Keys.IsLoaded(id))
            {
                retried.TryAdd(id, KeyHolder.Of(row));
            }
        }

        if (retried.Count > 0)
        {
            AddKeys(pipeline, unit, [.. retried.Select(static one => (one.Key, one.Value, true))]);
            await pipeline.SendAsync(cancellationToken);
            foreach (var (key, holder) in retried)
            {
                // A row that there was before is its own.
                if (unit.Find(holder.Job) is { HoldsKey: true } row)
                {
                    unit.Keys.Change(row);
                }
            }
        }
    }

    private void AddSchedules(Pipeline pipeline, WorkUnit unit)
    {
        var names = unit.Batch.ScheduleChanges.Select(static change => StoredText.Write(change.Name)).Distinct().ToArray();
        if (unit.Batch.Schedules is not null)
        {
            pipeline.Query(_allSchedules, Read);
        }
        else if (names.Length > 0)
        {
            pipeline.Query(_schedules, Read).With(names);
        }

        if (unit.Batch.ScheduleChanges.Any(static change => change.SkipsWhileOpen))
        {
            pipeline.Query(_lastJobs, row => unit.OpenLastJobs.Add(row.GetGuid(0))).With(names);
        }

        void Read(NpgsqlDataReader row)
        {
            var schedule = ScheduleRow.Read(row);
            unit.Schedules.Add(schedule.Name, schedule);
        }
    }

    private static void Check(WorkUnit unit)
    {
        if (!unit.Keys.IsComplete)
        {
            throw new ConflictException("An idempotency key became free while it was read.");
        }

        var batch = unit.Batch;
        var ids = new HashSet<Guid>(batch.Jobs.Count);
        foreach (var job in batch.Jobs.Concat(batch.ScheduleChanges.Select(static change => change.Job).OfType<NewJob>()))
        {
            if (unit.Rows.ContainsKey(job.Id) || !ids.Add(job.Id))
            {
                throw IsTaken(job.Id);
            }
        }
    }

    public static JobStoreException IsTaken(Guid id) => new($"There is a job with the id {id} already.");
}
