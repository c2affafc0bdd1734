using Npgsql;
using Weir.Jobs.PostgreSql.Claiming;
using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Retention;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Writing;

/// <summary>Commits batches, one transaction each. One flow.</summary>
/// <param name="database">The database.</param>
/// <param name="marker">Of this process.</param>
/// <param name="replica">What this process is called now.</param>
/// <param name="notify">What other processes are notified of, and whether by a transaction of the application; <c>null</c> for nothing.</param>
/// <param name="foreign">By kind, the signatures that only other processes understand.</param>
/// <param name="time">Measures how old is what claims remember.</param>
internal sealed class BatchWriter(
    Database database, Marker marker, Func<Guid> replica, Func<CommitNews, bool, string?> notify, Func<IReadOnlyDictionary<string, long[]>> foreign, TimeProvider time) : IDisposable
{
    private const int MostTries = 4;
    private const string Notify = "SELECT pg_notify($1, $2)";

    private readonly Loader _loader = new(database);
    private readonly RowWriter _rows = new(database);
    private readonly OtherTables _tables = new(database);
    private readonly DueJobs _due = new(database);
    private readonly JobClaimer _claims = new(database, time);
    private readonly CancellationTokenSource _closed = new();

    // As many as there are kinds with limits.
    private readonly HashSet<string> _limited = new(StringComparer.Ordinal);

    /// <summary>Commits a batch.</summary>
    /// <exception cref="JobStoreException">Nothing of it was applied; or, of a store that is closed, that is not known.</exception>
    public async ValueTask CommitAsync(JobBatch batch)
    {
        Learn(batch);
        var turns = batch.Turns();
        var refuses = false;
        for (var tries = 1; ; tries++)
        {
            try
            {
                await CommitOnceAsync(batch, refuses);
                return;
            }
            catch (Exception error)
            {
                batch.Forget(turns);
                if (error is JobStoreException)
                {
                    throw;
                }

                // What runs can perhaps be completed in the space that is left.
                var isFull = Failures.IsFull(error) && !refuses && batch.Jobs.Count + batch.ScheduleChanges.Count > 0;
                refuses |= isFull;
                if (tries == MostTries || !(isFull || error is ConflictException || Failures.IsConflict(error) || await TryCreatePartitionsAsync(error)))
                {
                    throw Failed(error);
                }
            }
        }
    }

    /// <summary>Stores jobs in a transaction of the application.</summary>
    public async ValueTask AcceptAsync(NpgsqlConnection connection, IReadOnlyList<NewJob> jobs, DateTimeOffset now, Action<Pipeline> before, bool notifies, CancellationToken cancellationToken)
    {
        var batch = new JobBatch(now);
        batch.Jobs.AddRange(jobs);
        var unit = new WorkUnit(batch, replica()) { Limited = new HashSet<string>() };
        await _loader.LoadAsync(connection, unit, before, cancellationToken);
        foreach (var job in jobs)
        {
            new BatchRules(unit).Accept(job);
        }

        var pipeline = new Pipeline(connection);
        _rows.Write(pipeline, unit);
        _tables.Write(pipeline, unit);
        if (notifies)
        {
            AddNotification(pipeline, unit, isOfApplication: true);
        }

        await pipeline.SendAsync(cancellationToken);
    }

    /// <summary>Ends the wait for an answer of a database that has none.</summary>
    public void Close() => _closed.Cancel();

    public void Dispose() => _closed.Dispose();

    private static JobStoreException Failed(Exception error) => new(error.Message, error);

    // An answer that was lost leaves out when the next job is due, and what is left of kinds: both are asked for again.
    private static void Guess(JobBatch batch)
    {
        batch.NextDue = batch.Now;
        foreach (var kind in batch.Claims.SelectMany(static claim => claim.Kinds))
        {
            kind.IsEmpty = false;
        }
    }

    private static async Task RollBackAsync(NpgsqlConnection connection)
    {
        if (connection.FullState.HasFlag(System.Data.ConnectionState.Open))
        {
            try
            {
                var pipeline = new Pipeline(connection);
                pipeline.Add("ROLLBACK");
                await pipeline.SendAsync(CancellationToken.None);
            }
            catch (Exception error) when (Failures.IsOfDatabase(error))
            {
                // The server rolls back what its client has left.
            }
        }
    }

    private void Learn(JobBatch batch)
    {
        _limited.UnionWith(batch.Jobs.Where(static job => WorkUnit.HasLimit(job.Limits)).Select(static job => job.Kind));
        _limited.UnionWith(batch.Claims.SelectMany(static claim => claim.Kinds).Where(static kind => WorkUnit.HasLimit(kind.Limits)).Select(static kind => kind.Kind));
    }

    private async Task CommitOnceAsync(JobBatch batch, bool refuses)
    {
        NpgsqlConnection connection;
        try
        {
            connection = await database.OpenToWriteAsync(_closed.Token);
        }
        catch (OperationCanceledException error)
        {
            throw new JobStoreException("The store is closed.", error) { IsFinal = true };
        }

        await using var open = connection;
        var isCommitting = false;
        try
        {
            var unit = new WorkUnit(batch, replica()) { Limited = _limited, Refuses = refuses };
            await _loader.LoadAsync(connection, unit, CancellationToken.None);
            var pipeline = await ApplyAsync(connection, unit);
            marker.Write(pipeline);
            AddNotification(pipeline, unit, isOfApplication: false);
            pipeline.Add("COMMIT");
            isCommitting = true;
            await pipeline.SendAsync(CancellationToken.None);
            marker.Committed();
            Complete(batch);
        }
        catch (Exception error)
        {
            if (!isCommitting || Failures.IsAnswer(error) || !Failures.IsOfDatabase(error))
            {
                await RollBackAsync(connection);
                _claims.RolledBack();
                throw error is PostgresException { SqlState: PostgresErrorCodes.UniqueViolation, ConstraintName: "job_pkey" } ? new JobStoreException("There is a job with one of the ids already.", error) : error;
            }

            if (!await IsCommittedAsync(error))
            {
                _claims.RolledBack();
                throw Failed(error);
            }

            Complete(batch);
            Guess(batch);
        }
    }

    private void Complete(JobBatch batch)
    {
        if (batch.Claims.Count > 0)
        {
            _claims.Complete();
            _claims.Committed();
        }
    }

    // Returns what is to be sent with the end of the transaction.
    private async Task<Pipeline> ApplyAsync(NpgsqlConnection connection, WorkUnit unit)
    {
        new BatchRules(unit).Apply();
        if (unit.Batch.Actions.Exists(static action => action is { Happened: JobEvent.ArgumentsEdited, Key: not null }))
        {
            _claims.Forget();
        }

        var pipeline = new Pipeline(connection);
        _rows.Write(pipeline, unit);
        _tables.Write(pipeline, unit);
        if (unit.Batch.MovesDue)
        {
            _due.Move(pipeline, unit);
        }

        if (unit.Batch.Claims.Count > 0)
        {
            _claims.Begin(new ClaimScope { Batch = unit.Batch, Replica = unit.Replica, MayStart = unit.MayStart, Paused = unit.Paused, Running = unit.Running, Foreign = foreign() });
            _claims.Append(pipeline);
        }

        if (unit.Batch.MovesDue || unit.Batch.Claims.Count > 0)
        {
            await pipeline.SendAsync(CancellationToken.None);
            DueJobs.Finish(unit);
        }

        if (unit.Batch.Claims.Count > 0)
        {
            await _claims.SelectAsync(pipeline, CancellationToken.None);
            _claims.AppendClaims(pipeline);
            unit.News.ReadyKinds.UnionWith(_claims.Left);
        }

        _due.FindNext(pipeline, unit);
        return pipeline;
    }

    private void AddNotification(Pipeline pipeline, WorkUnit unit, bool isOfApplication)
    {
        if (!unit.News.IsEmpty && notify(unit.News, isOfApplication) is { } payload)
        {
            pipeline.Query(Notify, static _ => { }).With(database.SchemaName).With(payload);
        }
    }

    private async Task<bool> IsCommittedAsync(Exception error)
    {
        try
        {
            return await marker.ResolveAsync(_claims.AppendAgain, _closed.Token);
        }
        catch (OperationCanceledException)
        {
            throw new JobStoreException("Whether it was stored is not known: the database did not answer until the application stopped.", error) { IsUnknown = true, IsFinal = true };
        }
    }

    private async Task<bool> TryCreatePartitionsAsync(Exception error)
    {
        if (!Failures.HasNoPartition(error))
        {
            return false;
        }

        try
        {
            await using var connection = await database.OpenAsync(CancellationToken.None);
            await Partitions.CreateAsync(database, connection, CancellationToken.None);
            return true;
        }
        catch (Exception failure) when (Failures.IsOfDatabase(failure))
        {
            return false;
        }
    }
}
