using Weir.Jobs.Rules;
using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Sqlite.Rows;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Sqlite.Writing;

/// <summary>Applies a batch to the rows, in a transaction that is open. The writer only.</summary>
internal sealed class BatchWriter
{
    private const int MostDue = 1_000;
    private const string MayExpire = "expires <> 0 AND state <= 2 AND starts = 0";
    private static readonly TimeSpan UndeclaredKept = TimeSpan.FromDays(1);

    // What the rules know of a claim, an item and a due time does not depend on the kind.
    private static readonly JobTraits AnyKind = new();

    private readonly Kinds _kinds;
    private readonly RunningJobs _running;
    private readonly JobTable _jobs;
    private readonly ItemTable _items;
    private readonly ResultTable _results;
    private readonly AttemptTable _attempts;
    private readonly ReadyJobs _ready;
    private readonly ScheduleTable _schedules;
    private readonly Statement _due;
    private readonly Statement _expired;
    private readonly Statement _nextDue;
    private readonly Statement _nextExpiry;
    private readonly List<(JobRow Row, Guid Id)> _dueRows = [];

    public BatchWriter(Connection connection, Kinds kinds, Blobs blobs, ReadyOrder order)
    {
        _kinds = kinds;
        _running = new RunningJobs(connection);
        _jobs = new JobTable(connection, blobs, order, _running);
        _items = new ItemTable(connection, blobs);
        _results = new ResultTable(connection, blobs);
        _attempts = new AttemptTable(connection, blobs);
        _ready = new ReadyJobs(connection, kinds, blobs, _jobs, _running);
        _schedules = new ScheduleTable(connection);
        _due = connection.Prepare($"SELECT {JobRow.Columns}, id FROM job INDEXED BY job_due WHERE state = 1 AND due <= ?1 ORDER BY due, seq LIMIT ?2");
        _expired = connection.Prepare($"SELECT {JobRow.Columns}, id FROM job INDEXED BY job_expires WHERE {MayExpire} AND expires <= ?1 ORDER BY expires, seq LIMIT ?2");
        _nextExpiry = connection.Prepare($"SELECT expires FROM job INDEXED BY job_expires WHERE {MayExpire} ORDER BY expires LIMIT 1");
        _nextDue = connection.Prepare("SELECT due FROM job INDEXED BY job_due WHERE state = 1 ORDER BY due LIMIT 1");
    }

    /// <summary>The kinds that have jobs which are ready.</summary>
    public List<string> ReadyKinds() => _ready.Kinds();

    /// <summary>Whether there are schedules.</summary>
    public bool HasSchedules => _schedules.All().Count > 0;

    /// <summary>When the next job becomes ready, or has not begun in time.</summary>
    public DateTimeOffset? NextDue() => First(_nextExpiry) is { } expiry && !(First(_nextDue) <= expiry) ? expiry : First(_nextDue);

    /// <summary>The transaction was rolled back.</summary>
    public void RollBack() => _running.RollBack();

    /// <summary>Applies all of a batch.</summary>
    /// <param name="batch">What it is.</param>
    /// <param name="refuses">Whether jobs that are new are not stored, because there is no space.</param>
    public void Apply(JobBatch batch, bool refuses)
    {
        foreach (var items in batch.Items)
        {
            Append(items, batch);
        }

        foreach (var progress in batch.Progress)
        {
            _jobs.Report(progress);
        }

        foreach (var (kind, isPaused) in batch.Pauses)
        {
            if (_kinds.Pause(_kinds.Get(kind), isPaused) && !isPaused && _ready.Has(kind))
            {
                batch.ReadyKinds.Add(kind);
            }
        }

        foreach (var action in batch.Actions)
        {
            Act(action, batch);
        }

        foreach (var job in batch.Jobs)
        {
            Accept(job, batch, refuses);
        }

        Declare(batch);
        foreach (var change in batch.ScheduleChanges)
        {
            ChangeSchedule(change, batch, refuses);
        }

        if (batch.MovesDue)
        {
            MoveDue(batch);
            Expire(batch);
        }

        _ready.Begin();
        foreach (var claim in batch.Claims)
        {
            if (!batch.IsBehind)
            {
                Claim(claim, batch);
            }
        }

        // Two of them may have a kind in common.
        foreach (var claim in batch.Claims)
        {
            foreach (var kind in claim.Kinds)
            {
                kind.IsEmpty = !_ready.Has(kind.Kind);
            }
        }

        batch.NextDue = NextDue();
    }

    private void Append(NewItems items, JobBatch batch)
    {
        items.Verdict = JobVerdict.Refused;
        items.Count = 0;
        if (!_jobs.TryFind(items.Id, out var row))
        {
            return;
        }

        items.Verdict = JobRules.Decide(row.Status, AnyKind, JobEvent.ItemAppended, new JobMoment(batch.Now, 0) { Fence = items.Fence }).Verdict;
        if (items.Verdict == JobVerdict.Applied)
        {
            foreach (var item in items.Items)
            {
                _items.Insert(row.Seq, row.Items++, item.Span);
            }

            _jobs.SetItems(row.Seq, row.Items);
        }

        items.Count = row.Items;
    }

    private void Act(JobAction action, JobBatch batch)
    {
        if (!_jobs.TryFind(action.Id, out var row))
        {
            action.Before = null;
            action.Change = new JobChange(default, JobVerdict.Refused);
            return;
        }

        action.Before = row.Status;
        var isKeyHeld = action.Happened == JobEvent.RetriedByHand && _jobs.IsKeyHeld(row, action.Id);
        action.Change = JobRules.Decide(row.Status, action.Kind, action.Happened, action.Moment with { IsKeyHeld = isKeyHeld });
        if (action.Change.Verdict == JobVerdict.Gone)
        {
            try
            {
                Delete(row.Seq);
            }
            catch (SqliteException error) when (error.IsDamage)
            {
                // It stays: what cannot be deleted must not keep everything else from being written, again and again.
                action.Change = new JobChange(row.Status, JobVerdict.Refused);
            }
        }
        else if (action.Change.Verdict is JobVerdict.Applied or JobVerdict.Late)
        {
            Write(action, ref row, batch);
        }
    }

    private void Write(JobAction action, ref JobRow row, JobBatch batch)
    {
        var (before, change) = (row.Status, action.Change);
        if (JobEffects.EndsAttempt(action.Happened, change))
        {
            _attempts.Insert(row.Seq, ++row.Attempts, new JobAttempt(before.Fence, row.Started, batch.Now, action.Happened, before.Stop, action.Payload));
        }

        if (JobEffects.BeginsAgain(action.Happened, before, change))
        {
            _items.Delete(row.Seq);
            _results.Delete(row.Seq);
            _jobs.BeginAgain(row.Seq);
        }

        if (JobEffects.HasResult(action.Happened, change))
        {
            _results.Insert(row.Seq, action.Payload.Span);
        }

        if (action.Happened == JobEvent.ArgumentsEdited)
        {
            _attempts.Insert(row.Seq, ++row.Attempts, new JobAttempt(before.Fence, batch.Now, batch.Now, JobEvent.ArgumentsEdited, JobStop.None, _jobs.Arguments(row.Seq)));
            _jobs.Edit(row.Seq, action.Signature, action.Payload.Span, action.Key);
        }

        if (JobEffects.Ends(before, change))
        {
            row.Ended = batch.Now;
        }

        if (JobEffects.BecomesReady(action.Happened, before, change))
        {
            batch.ReadyKinds.Add(_kinds.Name(row.Kind));
        }

        _jobs.Change(ref row, change.Status);
    }

    private void Delete(long job)
    {
        _items.Delete(job);
        _results.Delete(job);
        _attempts.Delete(job);
        _jobs.Delete(job);
    }

    private void Accept(NewJob job, JobBatch batch, bool refuses)
    {
        var kind = _kinds.Get(job.Kind);
        if (job.IdempotencyKey is { } key && _jobs.FindUnique(kind, job.Owner, key) is { } existing)
        {
            job.Existing = existing.Id;
            job.IsKeyReused = job.UniqueUntil == JobUniqueness.Retention && existing.Fingerprint != job.Fingerprint;
            return;
        }

        if (refuses || job.OnlyExisting)
        {
            job.IsRefused = true;
            return;
        }

        var status = JobRules.Accept(job.Due, batch.Now);
        var starts = job.Starts && status.State == JobState.Ready && !_kinds.IsPaused(kind) && (job.Limits is not { } limits || _running.Of(kind).HasRoom(limits, job.Key));
        if (starts)
        {
            status = JobRules.Decide(status, AnyKind, JobEvent.Claimed, new JobMoment(batch.Now, 0)).Status;
        }

        _jobs.Insert(job, kind, status, batch.Now);
        if (starts)
        {
            job.Claimed = new ClaimedJob(job.ToRecord(status, batch.Now), job.Arguments);
        }
        else if (status.State == JobState.Ready)
        {
            batch.ReadyKinds.Add(job.Kind);
        }
    }

    private void Declare(JobBatch batch)
    {
        if (batch.Schedules is not { } declared)
        {
            return;
        }

        var before = _schedules.All().ToDictionary(static schedule => schedule.Name, StringComparer.Ordinal);
        foreach (var one in declared)
        {
            before.Remove(one.Name, out var stored);
            one.Record = one.Declare(stored);
            if (one.Record != stored)
            {
                _schedules.Write(one.Record);
            }
        }

        foreach (var other in before.Values)
        {
            if (other.UndeclaredSince is null)
            {
                _schedules.Write(other with { UndeclaredSince = batch.Now });
            }
            else if (batch.Now - other.UndeclaredSince > UndeclaredKept)
            {
                _schedules.Delete(other.Name);
            }
        }
    }

    private void ChangeSchedule(ScheduleChange change, JobBatch batch, bool refuses)
    {
        change.Record = _schedules.Find(change.Name);
        change.IsApplied = false;
        if (change.Record is not { } record || !change.AppliesTo(record))
        {
            return;
        }

        record = record with { Next = change.Next, IsPaused = change.IsPaused ?? record.IsPaused };
        change.IsSkipped = change is { Job: not null, SkipsWhileOpen: true } && record.LastJob is { } last && _jobs.TryFind(last, out var row) && !row.Status.HasEnded;
        if (change.Job is { } job && !change.IsSkipped)
        {
            Accept(job, batch, refuses);
            if (job.IsRefused)
            {
                // The occurrence stays the next one until there is space for its job.
                return;
            }

            record = record with { LastDue = job.Due, LastJob = job.Id };
        }

        change.IsApplied = true;
        change.Record = record;
        _schedules.Write(record);
    }

    private static DateTimeOffset? First(Statement statement)
    {
        using (statement.Use())
        {
            return statement.Step() ? statement.Time(0) : null;
        }
    }

    // The rows are read before the first one is changed.
    private List<(JobRow Row, Guid Id)> Rows(Statement statement, DateTimeOffset now, int most)
    {
        _dueRows.Clear();
        using (statement.Bind(1, now).Bind(2, most).Use())
        {
            while (statement.Step())
            {
                _dueRows.Add((JobRow.Read(statement), statement.Id(JobRow.Width)));
            }
        }

        return _dueRows;
    }

    private void Expire(JobBatch batch)
    {
        var rows = Rows(_expired, batch.Now, MostDue + 1);
        batch.IsBehind = rows.Count > MostDue;
        foreach (var (expired, id) in rows.Take(MostDue))
        {
            var row = expired;
            var change = JobRules.Decide(row.Status, AnyKind, JobEvent.Expired, new JobMoment(batch.Now, 0));
            row.Ended = batch.Now;
            batch.Expired.Add(new ExpiredJob(id, _kinds.Name(row.Kind)));
            _jobs.Change(ref row, change.Status);
        }
    }

    private void MoveDue(JobBatch batch)
    {
        foreach (var (due, _) in Rows(_due, batch.Now, MostDue))
        {
            var row = due;
            var change = JobRules.Decide(row.Status, AnyKind, JobEvent.Due, new JobMoment(batch.Now, 0));
            if (change.Verdict == JobVerdict.Applied)
            {
                batch.ReadyKinds.Add(_kinds.Name(row.Kind));
                _jobs.Change(ref row, change.Status);
            }
        }
    }

    private void Claim(JobClaim claim, JobBatch batch)
    {
        var isServed = true;
        for (var turn = 0; isServed && claim.Jobs.Count < claim.Slots; turn++)
        {
            isServed = false;
            foreach (var kind in claim.Kinds)
            {
                // A kind without a job in one turn has none in the next.
                if (turn < kind.Slots && claim.Jobs.Count < claim.Slots && _ready.Start(kind, batch.Now) is { } job)
                {
                    claim.Jobs.Add(job);
                    isServed = true;
                }
            }
        }
    }
}
