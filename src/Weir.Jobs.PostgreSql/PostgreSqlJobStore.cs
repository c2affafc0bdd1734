using System.Data.Common;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Npgsql;
using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Reading;
using Weir.Jobs.PostgreSql.Replicas;
using Weir.Jobs.PostgreSql.Retention;
using Weir.Jobs.PostgreSql.Rows;
using Weir.Jobs.PostgreSql.Writing;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql;

/// <summary>Jobs in a schema of a PostgreSQL database, which many processes share.</summary>
/// <param name="database">The database. It is disposed with the store.</param>
/// <param name="options">Of the store.</param>
/// <param name="retention">How long what has ended is kept.</param>
/// <param name="time">Measures pauses.</param>
internal sealed class PostgreSqlJobStore(Database database, PostgreSqlJobsOptions options, RetentionTimes retention, TimeProvider time) : IJobStore
{
    private readonly JobReader _jobs = new(database);
    private readonly ListReader _lists = new(database);
    private BatchWriter? _writer;
    private Marker? _marker;
    private RetentionLoop? _retention;
    private ReplicaLoop? _replicas;
    private string _id = "";
    private string _version = "";
    private int _isDisposed;

    /// <summary>Whether no other process uses the schema, so that whatever another one has claimed is lost when it is opened. For tests.</summary>
    public bool IsAlone { get; init; }

    /// <summary>The log of what it hears of other processes.</summary>
    public ILogger Logger { get; init; } = NullLogger.Instance;

    /// <inheritdoc/>
    public string Description => $"PostgreSQL {_version} at {database.Place}, schema '{database.SchemaName}'";

    /// <inheritdoc/>
    public bool IsDurable => true;

    /// <inheritdoc/>
    public bool HasManyReplicas => true;

    /// <inheritdoc/>
    public bool DeletesEnded => true;

    /// <inheritdoc/>
    public async ValueTask<JobStoreContent> OpenAsync(JobReplica replica, CancellationToken cancellationToken)
    {
        try
        {
            await using var connection = await database.BeginAsync(cancellationToken);
            _version = connection.ServerVersion;
            _id = await SchemaScripts.PrepareAsync(database, connection, cancellationToken);
            await Partitions.CreateAsync(database, connection, cancellationToken);
            var replicas = _replicas = new ReplicaLoop(database, options.ListenConnectionString, options.Lease, time, Logger);
            await replicas.OpenAsync(replica, cancellationToken);
            _marker = new Marker(database, replica.Id, time);
            _writer = new BatchWriter(database, _marker, () => replicas.Id, replicas.Notification, () => replicas.Foreign, time);
            var content = await ContentReader.ReadAsync(database, connection, replica.Id, IsAlone, cancellationToken);
            _retention = new RetentionLoop(database, retention, time);
            return content;
        }
        catch (Exception error) when (Failures.IsOfDatabase(error))
        {
            throw new InvalidOperationException(
                $"{WeirCodes.JobStoreUnusable}: the jobs in PostgreSQL at {database.Place} cannot be opened: {error.Message} Start the server, or correct the connection string of jobs.UsePostgreSql(…). See {WeirCodes.JobStoreUnusable}.",
                error);
        }
    }

    /// <inheritdoc/>
    public async ValueTask CommitAsync(JobBatch batch)
    {
        await _writer!.CommitAsync(batch);
        if (batch.Pauses.Count > 0)
        {
            _replicas!.Paused();
        }
    }

    /// <inheritdoc/>
    public void Listen(IJobStoreListener listener) => _replicas!.Listen(listener);

    /// <inheritdoc/>
    public ValueTask LeaveAsync() => _replicas!.LeaveAsync();

    /// <inheritdoc/>
    public ValueTask WatchAsync(Guid id, CancellationToken cancellationToken) => _replicas!.WatchAsync(id, cancellationToken);

    /// <inheritdoc/>
    public async ValueTask AcceptAsync(DbTransaction transaction, IReadOnlyList<NewJob> jobs, DateTimeOffset now, CancellationToken cancellationToken)
    {
        var connection = OpenConnection(transaction);
        try
        {
            string? found = null;
            foreach (var job in jobs)
            {
                job.Starts = false;
            }

            await _writer!.AcceptAsync(
                connection,
                jobs,
                now,
                pipeline => pipeline.Query($"SELECT value FROM {database.Schema}.meta WHERE name = 'id'", row => found = row.GetString(0)),
                options.NotifyInTransactions,
                cancellationToken);
            if (found != _id)
            {
                throw OtherDatabase(connection, null);
            }
        }
        catch (PostgresException error) when (error.SqlState is PostgresErrorCodes.UndefinedTable or PostgresErrorCodes.InvalidSchemaName)
        {
            throw OtherDatabase(connection, error);
        }
        catch (Exception error) when (Failures.IsOfDatabase(error) || error is ConflictException)
        {
            throw new JobStoreException(error.Message, error);
        }
    }

    /// <inheritdoc/>
    public ValueTask<JobDemand> DemandAsync(IReadOnlyList<string> kinds, CancellationToken cancellationToken) => ReadAsync(() => _lists.DemandAsync(kinds, cancellationToken));

    /// <inheritdoc/>
    public ValueTask<JobRecord?> FindAsync(Guid id, CancellationToken cancellationToken) => ReadAsync(() => _jobs.FindAsync(id, cancellationToken));

    /// <inheritdoc/>
    public ValueTask<NewJob?> FindCallAsync(Guid id, CancellationToken cancellationToken) => ReadAsync(() => _jobs.FindCallAsync(id, cancellationToken));

    /// <inheritdoc/>
    public ValueTask<ReadOnlyMemory<byte>?> ReadResultAsync(Guid id, CancellationToken cancellationToken) => ReadAsync(() => _jobs.ReadResultAsync(id, cancellationToken));

    /// <inheritdoc/>
    public ValueTask<IReadOnlyList<ReadOnlyMemory<byte>>> ReadItemsAsync(Guid id, int run, long from, CancellationToken cancellationToken) => ReadAsync(() => _jobs.ReadItemsAsync(id, run, from, cancellationToken));

    /// <inheritdoc/>
    public ValueTask<IReadOnlyList<JobAttempt>> ReadAttemptsAsync(Guid id, CancellationToken cancellationToken) => ReadAsync(() => _jobs.ReadAttemptsAsync(id, cancellationToken));

    /// <inheritdoc/>
    public ValueTask<IReadOnlyList<JobRecord>> ListAsync(JobQuery query, CancellationToken cancellationToken) => ReadAsync(() => _lists.ListAsync(query, cancellationToken));

    /// <inheritdoc/>
    public ValueTask<IReadOnlyList<JobCount>> CountAsync(CancellationToken cancellationToken) => ReadAsync(() => _lists.CountAsync(cancellationToken));

    /// <inheritdoc/>
    public ValueTask<IReadOnlyList<WaitingJobs>> CountWaitingAsync(long most, CancellationToken cancellationToken) => ReadAsync(() => _lists.CountWaitingAsync(most, cancellationToken));

    /// <inheritdoc/>
    public ValueTask<EndedJobs> ReadEndedAsync(long after, CancellationToken cancellationToken) => ReadAsync(() => _lists.ReadEndedAsync(after, cancellationToken));

    /// <inheritdoc/>
    public ValueTask<long?> SizeAsync(CancellationToken cancellationToken) => ReadAsync(() => _lists.SizeAsync(cancellationToken));

    /// <inheritdoc/>
    public ValueTask<IReadOnlyList<ScheduleRecord>> ListSchedulesAsync(CancellationToken cancellationToken) => ReadAsync(() => _lists.SchedulesAsync(cancellationToken));

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
        {
            return;
        }

        _writer?.Close();
        if (_retention is not null)
        {
            await _retention.DisposeAsync();
        }

        if (_replicas is not null)
        {
            await _replicas.DisposeAsync();
        }

        try
        {
            if (_marker is not null)
            {
                await _marker.DeleteAsync(CancellationToken.None);
            }
        }
        catch (Exception error) when (Failures.IsOfDatabase(error))
        {
            // It is deleted when it is old.
        }

        _writer?.Dispose();
        await database.DisposeAsync();
    }

    /// <summary>Ends the connections as if the process was killed. For tests.</summary>
    public async ValueTask KillAsync()
    {
        Interlocked.Exchange(ref _isDisposed, 1);
        _writer?.Close();
        if (_retention is not null)
        {
            await _retention.DisposeAsync();
        }

        if (_replicas is not null)
        {
            await _replicas.KillAsync();
        }

        await database.DisposeAsync();
    }

    private static async ValueTask<T> ReadAsync<T>(Func<Task<T>> read)
    {
        try
        {
            return await read();
        }
        catch (Exception error) when (Failures.IsOfDatabase(error))
        {
            throw new JobStoreException($"The jobs could not be read: {error.Message}", error);
        }
    }

    // One that has ended still knows its connection, on which every statement would be a transaction of its own.
    private static NpgsqlConnection OpenConnection(DbTransaction transaction)
    {
        if (transaction is not NpgsqlTransaction own)
        {
            throw new ArgumentException($"The transaction is a {transaction.GetType().Name}: jobs are in PostgreSQL, and are stored in a transaction of Npgsql, of the same database.", nameof(transaction));
        }

        try
        {
            _ = own.IsolationLevel;
            return own.Connection ?? throw new InvalidOperationException("It has no connection.");
        }
        catch (InvalidOperationException error)
        {
            throw new ArgumentException("The transaction has ended: submit the job before it commits.", nameof(transaction), error);
        }
    }

    private ArgumentException OtherDatabase(NpgsqlConnection connection, Exception? inner) =>
        new($"The transaction is of the database '{connection.Database}' at {connection.DataSource}, and jobs are at {database.Place}, in the schema '{database.SchemaName}': both have to be the same. Roll it back.", inner);
}
