using Weir.Jobs.Rules;
using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Sqlite.Rows;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Sqlite.Writing;

/// <summary>Writes rows of <c>job</c>. The writer only.</summary>
internal sealed class JobTable
{
    /// <summary>Arguments that are larger lie in <c>blob</c>: a row is written again with each change of its state.</summary>
    public const int MostArgumentsInRow = 1_024;

    private readonly Blobs _blobs;
    private readonly ReadyOrder _order;
    private readonly RunningJobs _running;
    private readonly Statement _insert;
    private readonly Statement _find;
    private readonly Statement _unique;
    private readonly Statement _uniqueOf;
    private readonly Statement _change;
    private readonly Statement _start;
    private readonly Statement _finish;
    private readonly Statement _beginAgain;
    private readonly Statement _items;
    private readonly Statement _progress;
    private readonly Statement _arguments;
    private readonly Statement _stored;
    private readonly Statement _editArguments;
    private readonly Statement _delete;
    private long _last;

    public JobTable(Connection connection, Blobs blobs, ReadyOrder order, RunningJobs running)
    {
        (_blobs, _order, _running) = (blobs, order, running);
        _insert = connection.Prepare(
            """
            INSERT INTO job (seq, kind, state, priority, key, ready, due, fence, open, starts, started, ended, id, submitted, signature, owner, parent, trace_parent, trace_state, culture,
              idempotency_key, fingerprint, arguments, arguments_blob, arguments_size, arguments_check, unique_until, expires, reason, stop, failures, crashes, losses, retries, refusals, not_understood, items, run, attempts)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
            """);
        _find = connection.Prepare($"SELECT {JobRow.Columns} FROM job WHERE id = ?1");
        _unique = connection.Prepare(
            """
            SELECT id, fingerprint FROM job INDEXED BY job_idempotency WHERE kind = ?1 AND idempotency_key = ?2 AND ifnull(owner, 0) = ifnull(?3, 0) AND idempotency_key IS NOT NULL AND unique_until = 0
            UNION ALL
            SELECT id, fingerprint FROM job INDEXED BY job_idempotency_open WHERE kind = ?1 AND idempotency_key = ?2 AND ifnull(owner, 0) = ifnull(?3, 0) AND idempotency_key IS NOT NULL AND unique_until = 1 AND state <= 3
            LIMIT 1
            """);
        _uniqueOf = connection.Prepare("SELECT kind, owner, idempotency_key FROM job WHERE seq = ?1 AND idempotency_key IS NOT NULL");
        _change = connection.Prepare(
            """
            UPDATE job SET state = ?2, reason = ?3, stop = ?4, fence = ?5, open = ?6,
              first_due = CASE WHEN first_due = 0 AND due <> ?7 THEN due ELSE first_due END, due = ?7, starts = ?8, failures = ?9, crashes = ?10, losses = ?11, retries = ?12, refusals = ?13,
              not_understood = ?14, ready = ?15, started = ?16, ended = ?17, attempts = ?18
            WHERE seq = ?1
            """);
        _start = connection.Prepare("UPDATE job SET state = ?2, stop = ?3, fence = ?4, open = ?5, starts = ?6, started = ?7 WHERE seq = ?1");
        _finish = connection.Prepare("UPDATE job SET state = ?2, reason = ?3, stop = 0, open = 0, ended = ?4, attempts = ?5 WHERE seq = ?1");
        _beginAgain = connection.Prepare("UPDATE job SET items = 0, run = run + 1, progress = NULL, progress_text = NULL, expires = 0 WHERE seq = ?1");
        _items = connection.Prepare("UPDATE job SET items = ?2 WHERE seq = ?1");
        _progress = connection.Prepare("UPDATE job SET progress = ?3, progress_text = ?4 WHERE id = ?1 AND state = 3 AND fence = ?2");
        _arguments = connection.Prepare("SELECT arguments_blob, arguments_size FROM job WHERE seq = ?1");
        _stored = connection.Prepare("SELECT arguments, arguments_blob, arguments_size, arguments_check FROM job WHERE seq = ?1");
        _editArguments = connection.Prepare(
            "UPDATE job SET signature = ?2, arguments = ?3, arguments_blob = ?4, arguments_size = ?5, arguments_check = ?6, key = ifnull(?7, key) WHERE seq = ?1");
        _delete = connection.Prepare("DELETE FROM job WHERE seq = ?1");
        _last = long.Parse(connection.Query("SELECT ifnull(max(seq), 0) FROM job")!, System.Globalization.CultureInfo.InvariantCulture);
    }

    /// <summary>Finds a job.</summary>
    public bool TryFind(Guid id, out JobRow row)
    {
        using (_find.Bind(1, id).Use())
        {
            row = _find.Step() ? JobRow.Read(_find) : default;
            return row.Seq != 0;
        }
    }

    /// <summary>The job for which an idempotency key stands.</summary>
    public (Guid Id, ulong Fingerprint)? FindUnique(int kind, string? owner, string key)
    {
        using (_unique.Bind(1, kind).Bind(2, key).Bind(3, owner).Use())
        {
            return _unique.Step() ? (_unique.Id(0), (ulong)_unique.Long(1)) : null;
        }
    }

    /// <summary>Whether another job has the idempotency key of this one.</summary>
    public bool IsKeyHeld(in JobRow row, Guid id)
    {
        int kind;
        string? owner, key;
        using (_uniqueOf.Bind(1, row.Seq).Use())
        {
            if (!_uniqueOf.Step())
            {
                return false;
            }

            (kind, owner, key) = (_uniqueOf.Int(0), _uniqueOf.Text(1), _uniqueOf.Text(2));
        }

        return FindUnique(kind, owner, key!) is { } holder && holder.Id != id;
    }

    /// <summary>Adds a job that is accepted.</summary>
    public void Insert(NewJob job, int kind, in JobStatus status, DateTimeOffset now)
    {
        var seq = ++_last;
        var arguments = _blobs.Write(job.Arguments.Span, seq, MostArgumentsInRow);
        _insert.Bind(1, seq).Bind(2, kind).Bind(3, (long)status.State).Bind(4, (long)job.Priority).Bind(5, job.Key).Bind(6, _order.Next()).Bind(7, status.Due)
            .Bind(8, status.Fence).Bind(9, status.IsOpen ? 1 : 0).Bind(10, status.Starts).Bind(11, now).Bind(12, now)
            .Bind(13, job.Id).Bind(14, job.Submitted).Bind(15, (long)job.Signature).Bind(16, job.Owner);
        if (job.Parent is { } parent)
        {
            _insert.Bind(17, parent);
        }
        else
        {
            _insert.Bind(17, (string?)null);
        }

        _insert.Bind(18, job.TraceParent).Bind(19, job.TraceState).Bind(20, job.Culture).Bind(21, job.IdempotencyKey).Bind(22, (long)job.Fingerprint)
            .Bind(23, arguments.IsInRow ? job.Arguments.Span : default).Bind(24, arguments.Blob).Bind(25, arguments.Size).Bind(26, arguments.Check)
            .Bind(27, (long)job.UniqueUntil).Bind(28, job.Expires?.UtcTicks ?? 0)
            .Run();
        if (status.State == JobState.Running)
        {
            _running.Started(kind, seq, job.Key);
        }
    }

    /// <summary>Gives a row what the rules decided. A job that becomes ready goes behind those that are.</summary>
    public void Change(ref JobRow row, in JobStatus status)
    {
        var before = row.Status;
        row.Status = status;
        if (before.State == JobState.Running && status.State != JobState.Running)
        {
            _running.Ended(row.Kind, row.Seq);
        }

        if (status.State == JobState.Ready && before.State != JobState.Ready)
        {
            row.Ready = _order.Next();
        }

        if (status.HasEnded && status == before with { State = status.State, Reason = status.Reason, Stop = JobStop.None, IsOpen = false } && status.Reason == JobReason.None)
        {
            _finish.Bind(1, row.Seq).Bind(2, (long)status.State).Bind(3, (long)status.Reason).Bind(4, row.Ended).Bind(5, row.Attempts).Run();
            return;
        }

        _change.Bind(1, row.Seq).Bind(2, (long)status.State).Bind(3, (long)status.Reason).Bind(4, (long)status.Stop).Bind(5, status.Fence).Bind(6, status.IsOpen ? 1 : 0)
            .Bind(7, status.Due).Bind(8, status.Starts).Bind(9, status.Failures).Bind(10, status.Crashes).Bind(11, status.Losses).Bind(12, status.AskedRetries)
            .Bind(13, status.Refusals).Bind(14, status.NotUnderstoodSince?.UtcTicks ?? 0).Bind(15, row.Ready).Bind(16, row.Started).Bind(17, row.Ended)
            .Bind(18, row.Attempts)
            .Run();
    }

    /// <summary>Gives a row what the rules made of a claim.</summary>
    public void Start(ref JobRow row, string key, in JobStatus status, DateTimeOffset now)
    {
        _running.Started(row.Kind, row.Seq, key);
        (row.Status, row.Started) = (status, now);
        _start.Bind(1, row.Seq).Bind(2, (long)status.State).Bind(3, (long)status.Stop).Bind(4, status.Fence).Bind(5, status.IsOpen ? 1 : 0).Bind(6, status.Starts).Bind(7, now).Run();
    }

    public void BeginAgain(long seq) => _beginAgain.Bind(1, seq).Run();

    public void SetItems(long seq, long count) => _items.Bind(1, seq).Bind(2, count).Run();

    /// <summary>Stores progress, unless the job does not run with this fence.</summary>
    public void Report(in NewProgress progress) =>
        _progress.Bind(1, progress.Id).Bind(2, progress.Fence).Bind(3, progress.Progress.Fraction).Bind(4, progress.Progress.Text).Run();

    /// <summary>Gives a row other arguments.</summary>
    /// <param name="seq">The row.</param>
    /// <param name="signature">Of the operation that wrote them.</param>
    /// <param name="arguments">The arguments.</param>
    /// <param name="key">The key from here on; <c>null</c> where it stays.</param>
    public void Edit(long seq, ulong signature, ReadOnlySpan<byte> arguments, string? key)
    {
        DeleteArguments(seq);
        var stored = _blobs.Write(arguments, seq, MostArgumentsInRow);
        _editArguments.Bind(7, key).Bind(1, seq).Bind(2, (long)signature).Bind(3, stored.IsInRow ? arguments : default).Bind(4, stored.Blob).Bind(5, stored.Size).Bind(6, stored.Check).Run();
    }

    /// <summary>The arguments of a row; <c>null</c> where what is stored is not what was written.</summary>
    public byte[]? Arguments(long seq)
    {
        try
        {
            using var scope = _stored.Bind(1, seq).Use();
            return _stored.Step() ? _blobs.Read(_stored, 0, new StoredBytes(_stored.Long(1), _stored.Int(2), (uint)_stored.Long(3)), seq) : null;
        }
        catch (SqliteException error) when (error.IsDamage)
        {
            return null;
        }
    }

    public void Delete(long seq)
    {
        DeleteArguments(seq);
        _delete.Bind(1, seq).Run();
    }

    private void DeleteArguments(long seq)
    {
        using (_arguments.Bind(1, seq).Use())
        {
            if (_arguments.Step())
            {
                _blobs.Delete(_arguments.Long(0), _arguments.Int(1));
            }
        }
    }
}
