using SQLitePCL;
using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Sqlite.Rows;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Sqlite.Writing;

/// <summary>Commits batches, one transaction each, and copies the write-ahead log into the file between them. On the writer's thread.</summary>
internal sealed class Writer
{
    private const int PageSize = 4096;
    private const int CheckpointPages = 32 * 1024 * 1024 / PageSize;
    private const int RestartPages = 2 * CheckpointPages;
    private const int PagesUntilAnother = CheckpointPages / 4;

    private readonly Connection _connection;
    private readonly Kinds _kinds;
    private readonly ReadyOrder _order;
    private readonly BatchWriter _batches;
    private readonly Func<bool> _isAlmostFull;
    private readonly Statement _begin;
    private readonly Statement _commit;
    private readonly Statement _rollBack;
    private int _copied;
    private int _tryAt = CheckpointPages;
    private int _logPages;
    private volatile JobStoreException? _failure;

    public Writer(Connection connection, Kinds kinds, ReadyOrder order, BatchWriter batches, Func<bool> isAlmostFull)
    {
        (_connection, _kinds, _order, _batches, _isAlmostFull) = (connection, kinds, order, batches, isAlmostFull);
        _begin = connection.Prepare("BEGIN IMMEDIATE");
        _commit = connection.Prepare("COMMIT");
        _rollBack = connection.Prepare("ROLLBACK");
        _copied = connection.PagesWritten;
    }

    /// <summary>Whether the store can be used in this process. Any thread.</summary>
    public bool HasFailed => _failure is not null;

    /// <summary>Of what comes after a failure nothing is applied. Any thread.</summary>
    /// <exception cref="JobStoreException">The store cannot be used any more.</exception>
    public void ThrowIfFailed()
    {
        if (_failure is { } failure)
        {
            throw new JobStoreException(failure.Message, failure.InnerException) { IsFinal = true };
        }
    }

    /// <summary>Commits a batch.</summary>
    /// <exception cref="JobStoreException">Nothing of it was applied, or that is not known.</exception>
    public void Commit(JobBatch batch)
    {
        var turns = batch.Turns();
        var accepts = batch.Jobs.Count + batch.ScheduleChanges.Count > 0;
        for (var refuses = accepts && _isAlmostFull(); ; refuses = true)
        {
            try
            {
                CommitOnce(batch, refuses);
                return;
            }
            catch (JobStoreException error)
            {
                batch.Forget(turns);
                if (refuses || !accepts || error is not { IsUnknown: false, InnerException: SqliteException { IsFull: true } })
                {
                    throw;
                }

                // What runs can be completed in the space that is left.
            }
        }
    }

    /// <summary>Copies the log into the file when there is enough of it. A failure is kept: what was committed is in the log.</summary>
    public void Checkpoint()
    {
        var pages = _connection.PagesWritten - _copied;
        if (pages < _tryAt || _failure is not null)
        {
            return;
        }

        try
        {
            // Readers that began before may keep the rest of it: they are short. A log that has grown all the same waits for them.
            var restarts = Math.Max(pages, _logPages) >= RestartPages;
            if (_connection.Checkpoint(restarts ? raw.SQLITE_CHECKPOINT_RESTART : raw.SQLITE_CHECKPOINT_PASSIVE, out var log))
            {
                // A log that was copied begins again with the next write, unless a reader still needs it: then it grows, however often it is copied.
                _logPages = restarts ? 0 : log;
                _copied = _connection.PagesWritten;
                _tryAt = CheckpointPages;
            }
            else
            {
                _tryAt = pages + PagesUntilAnother;
            }
        }
        catch (SqliteException error)
        {
            _tryAt = pages + PagesUntilAnother;
            if (error.IsFailedSync)
            {
                _failure = Final(error);
            }
        }
    }

    private void CommitOnce(JobBatch batch, bool refuses)
    {
        ThrowIfFailed();
        try
        {
            _begin.Run();
            _batches.Apply(batch, refuses);
        }
        catch (Exception error)
        {
            RollBack();
            throw error as JobStoreException ?? (error is SqliteException { IsFailedSync: true } ? Fail(error) : new JobStoreException($"Nothing was stored: {error.Message}", error));
        }

        try
        {
            _commit.Run();
            _kinds.Commit();
            _order.Commit();
        }
        catch (SqliteException error)
        {
            // Without its last page, what was written to the log is no transaction. After a failed sync it may be one.
            RollBack();
            throw error.IsFailedSync || !_connection.IsOutsideTransaction ? Fail(error) : new JobStoreException($"Nothing was stored: {error.Message}", error);
        }
    }

    private void RollBack()
    {
        _kinds.RollBack();
        _order.RollBack();
        _batches.RollBack();
        if (!_connection.IsOutsideTransaction)
        {
            try
            {
                _rollBack.Run();
            }
            catch (SqliteException error)
            {
                _failure = Final(error);
            }
        }
    }

    private JobStoreException Fail(Exception error) => _failure ??= Final(error);

    private static JobStoreException Final(Exception error) =>
        new($"The file of jobs cannot be used any more by this process, because what was written may not be on the disk. Start the process again: what is stored is read then. {error.Message}", error)
        {
            IsFinal = true,
            IsUnknown = true,
        };
}
