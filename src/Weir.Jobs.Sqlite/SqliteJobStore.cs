using System.Globalization;
using SQLitePCL;
using Weir.Jobs.Sqlite.Files;
using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Sqlite.Reading;
using Weir.Jobs.Sqlite.Rows;
using Weir.Jobs.Sqlite.Writing;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Sqlite;

/// <summary>Jobs in one file, which one process owns. A thread writes, two connections read.</summary>
/// <param name="path">Of the file. It is created where there is none; its directory is not.</param>
/// <param name="ownerWait">How long another process may still have the file when it is opened.</param>
/// <param name="time">Measures that.</param>
internal sealed class SqliteJobStore(string path, TimeSpan ownerWait, TimeProvider time) : IJobStore
{
    private const long FreeForOutcomes = 64 * 1024 * 1024;
    private const long MostToCheck = 1024 * 1024 * 1024;
    private const long FreeCheckMilliseconds = 1_000;

    private readonly string _path = Places.Resolve(path);
    private OwnerLock? _owner;
    private Connection? _connection;
    private MetaTable? _meta;
    private Writer? _writer;
    private WriterThread? _thread;
    private ReaderPool? _readers;
    private TimeSpan? _sync;

    // The writer's.
    private long _freeCheckedAt = long.MinValue / 2;
    private bool _isAlmostFull;
    private int _isDisposed;

    /// <summary>How many bytes are free beside the file. Tests have others.</summary>
    public Func<string, long> Free { get; init; } = Places.Free;

    /// <summary>How many pages the file may have at most; <c>null</c> for no limit. For tests.</summary>
    public int? MostPages { get; init; }

    /// <summary>A file of so many bytes at most is checked whenever it is opened: that takes 0.2 s for a hundred thousand jobs. Tests have another.</summary>
    public long MostToCheckAlways { get; init; } = 32 * 1024 * 1024;

    /// <inheritdoc/>
    public string Description => string.Create(
        CultureInfo.InvariantCulture, $"SQLite {Connection.Version} in {Path.GetFileName(_path)}, fsync {(_sync is { } sync ? $"{sync.TotalMilliseconds:0.0} ms" : "not measured")}");

    /// <inheritdoc/>
    public bool IsDurable => true;

    /// <inheritdoc/>
    public async ValueTask<JobStoreContent> OpenAsync(JobReplica replica, CancellationToken cancellationToken)
    {
        Places.Check(_path);
        _owner = await OwnerLock.AcquireAsync(_path, ownerWait, time, cancellationToken);
        try
        {
            // It may take a while, and starts with the application.
            return await Task.Run(Open, cancellationToken);
        }
        catch (Exception error)
        {
            await DisposeAsync();
            if (error is SqliteException or IOException or UnauthorizedAccessException)
            {
                throw new InvalidOperationException($"{WeirCodes.JobStoreUnusable}: '{_path}' cannot be opened: {error.Message}. {NextStep(error)}", error);
            }

            throw;
        }
    }

    /// <inheritdoc/>
    public ValueTask CommitAsync(JobBatch batch) => _thread!.CommitAsync(batch);

    /// <inheritdoc/>
    public ValueTask<JobRecord?> FindAsync(Guid id, CancellationToken cancellationToken) => ReadAsync(id, static (reader, id, _) => reader.Jobs.Find(id), cancellationToken);

    /// <inheritdoc/>
    public ValueTask<NewJob?> FindCallAsync(Guid id, CancellationToken cancellationToken) => ReadAsync(id, static (reader, id, _) => reader.Jobs.FindCall(id), cancellationToken);

    /// <inheritdoc/>
    public ValueTask<ReadOnlyMemory<byte>?> ReadResultAsync(Guid id, CancellationToken cancellationToken) =>
        ReadAsync(id, static (reader, id, token) => reader.Payloads.ReadResult(id, token) is { } result ? result : default(ReadOnlyMemory<byte>?), cancellationToken);

    /// <inheritdoc/>
    public ValueTask<IReadOnlyList<ReadOnlyMemory<byte>>> ReadItemsAsync(Guid id, int run, long from, CancellationToken cancellationToken) =>
        ReadAsync<(Guid Id, int Run, long From), IReadOnlyList<ReadOnlyMemory<byte>>>((id, run, from), static (reader, what, _) => reader.Payloads.ReadItems(what.Id, what.Run, what.From), cancellationToken);

    /// <inheritdoc/>
    public ValueTask<IReadOnlyList<JobAttempt>> ReadAttemptsAsync(Guid id, CancellationToken cancellationToken) =>
        ReadAsync<Guid, IReadOnlyList<JobAttempt>>(id, static (reader, id, _) => reader.Payloads.ReadAttempts(id), cancellationToken);

    /// <inheritdoc/>
    public ValueTask<IReadOnlyList<JobRecord>> ListAsync(JobQuery query, CancellationToken cancellationToken) =>
        ReadAsync<JobQuery, IReadOnlyList<JobRecord>>(query, static (reader, query, token) => reader.Lists.List(query, token), cancellationToken);

    /// <inheritdoc/>
    public ValueTask<IReadOnlyList<JobCount>> CountAsync(CancellationToken cancellationToken) =>
        ReadAsync<int, IReadOnlyList<JobCount>>(0, static (reader, _, token) => reader.Lists.Count(token), cancellationToken);

    /// <inheritdoc/>
    public ValueTask<IReadOnlyList<WaitingJobs>> CountWaitingAsync(long most, CancellationToken cancellationToken) =>
        ReadAsync<long, IReadOnlyList<WaitingJobs>>(most, static (reader, most, token) => reader.Lists.CountWaiting(most, token), cancellationToken);

    /// <inheritdoc/>
    public ValueTask<EndedJobs> ReadEndedAsync(long after, CancellationToken cancellationToken) =>
        ReadAsync(after, static (reader, after, _) => reader.Lists.ReadEnded(after), cancellationToken);

    /// <inheritdoc/>
    public ValueTask<long?> SizeAsync(CancellationToken cancellationToken) => ReadAsync<int, long?>(0, static (reader, _, _) => reader.Lists.Size(), cancellationToken);

    /// <inheritdoc/>
    public ValueTask<IReadOnlyList<ScheduleRecord>> ListSchedulesAsync(CancellationToken cancellationToken) =>
        ReadAsync<int, IReadOnlyList<ScheduleRecord>>(0, static (reader, _, _) => reader.Lists.Schedules(), cancellationToken);

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
        {
            return;
        }

        if (_thread is { } thread)
        {
            await Task.Run(thread.End);
        }

        if (_readers is not null)
        {
            await _readers.EndAsync();
        }

        Close();
        _owner?.Dispose();
    }

    // The connections of a store that was not opened to its end are closed here, too.
    private void Close()
    {
        try
        {
            if (_writer is { HasFailed: false })
            {
                _meta!.Close();
                _connection!.Checkpoint(raw.SQLITE_CHECKPOINT_TRUNCATE);
            }
        }
        catch (SqliteException)
        {
            // What was committed is in the log: the next process that opens the file finds it.
        }

        _connection?.Dispose();
    }

    private JobStoreContent Open()
    {
        WriteAheadLog.Check(_path);
        _connection = new Connection(_path, mayWrite: true);
        _connection.Execute("PRAGMA busy_timeout = 1000");
        Schema.Check(_connection, _path);
        _connection.Execute(
            """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA fullfsync = ON;
            PRAGMA checkpoint_fullfsync = ON;
            PRAGMA wal_autocheckpoint = 0;
            PRAGMA journal_size_limit = 67108864;
            PRAGMA cache_size = -65536;
            PRAGMA cell_size_check = ON;
            """);
        Schema.Prepare(_connection, _path);
        if (MostPages is { } pages)
        {
            _connection.Query(string.Create(CultureInfo.InvariantCulture, $"PRAGMA max_page_count = {pages}"));
        }

        _meta = new MetaTable(_connection);
        CheckTables();
        CheckAfterUncleanEnd();
        _sync = Places.MeasureSync(_path);

        _meta.Open(Boot.Id);
        var kinds = new Kinds(_connection);
        var order = new ReadyOrder(_meta);
        var batches = new BatchWriter(_connection, kinds, new Blobs(_connection), order);
        _writer = new Writer(_connection, kinds, order, batches, IsAlmostFull);
        _readers = new ReaderPool(_path, kinds);
        var content = new JobStoreContent { Lost = FindLost(kinds), ReadyKinds = batches.ReadyKinds(), PausedKinds = kinds.Paused, HasSchedules = batches.HasSchedules, NextDue = batches.NextDue() };
        _thread = new WriterThread(_writer.Commit, _writer.Checkpoint);
        return content;
    }

    // Without a row of an index, a job would not be found, or not be claimed, and nothing would say so. What jobs bring has a check of its own, so that damage to it is confined to its job.
    private void CheckTables()
    {
        foreach (var table in new[] { "kind", "meta", "schedule", "job" })
        {
            if (table != "job" || new FileInfo(_path).Length <= MostToCheckAlways)
            {
                Check($"PRAGMA integrity_check({table})");
            }
        }
    }

    // A process that was killed leaves a file that is whole: what it wrote is the system's. One whose machine went down may not.
    private void CheckAfterUncleanEnd()
    {
        if (_meta!.IsClean || (Boot.Id is { Length: > 0 } boot && boot == _meta.LastBoot) || new FileInfo(_path).Length > MostToCheck)
        {
            return;
        }

        Check("PRAGMA quick_check(1)");
    }

    private void Check(string check)
    {
        if (_connection!.Query(check) is var found && found != "ok")
        {
            throw new InvalidOperationException(
                $"{WeirCodes.JobStoreUnusable}: '{_path}' is damaged: {found}. {Repair}");
        }
    }

    // Who had claimed them does not have the file any more, whichever replica it was.
    private List<LostAttempt> FindLost(Kinds kinds)
    {
        var lost = new List<LostAttempt>();
        var running = _connection!.Prepare("SELECT id, fence, items FROM job INDEXED BY job_state WHERE kind = ?1 AND state = 3");
        foreach (var kind in kinds.Numbers)
        {
            using (running.Bind(1, kind).Use())
            {
                while (running.Step())
                {
                    lost.Add(new LostAttempt(running.Id(0), kinds.Name(kind), running.Long(1), running.Long(2)));
                }
            }
        }

        return lost;
    }

    private string Repair => $"Put back a copy of it, or name another file; 'sqlite3 {Path.GetFileName(_path)} .recover' shows what can still be read.";

    private string NextStep(Exception error) => error switch
    {
        SqliteException { IsFull: true } => "Free some space on its disk.",
        SqliteException { IsDamage: true } => Repair,
        _ => "This process has to be able to read and write it, and to create files beside it.",
    };

    private bool IsAlmostFull()
    {
        var now = Environment.TickCount64;
        if (now - _freeCheckedAt >= FreeCheckMilliseconds)
        {
            (_freeCheckedAt, _isAlmostFull) = (now, Free(_path) < FreeForOutcomes);
        }

        return _isAlmostFull;
    }

    private async ValueTask<T> ReadAsync<TState, T>(TState state, Func<Reader, TState, CancellationToken, T> read, CancellationToken cancellationToken)
    {
        _writer!.ThrowIfFailed();
        try
        {
            return await _readers!.ReadAsync(state, read, cancellationToken);
        }
        catch (Exception error) when (error is SqliteException or DamagedRowException)
        {
            throw new JobStoreException($"The file of jobs could not be read: {error.Message}", error);
        }
    }
}
