using Weir.Jobs.Rules;
using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Sqlite.Rows;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Sqlite.Writing;

/// <summary>Applies a batch to the rows, in a transaction that is open. The writer only.</summary>
internal sealed class BatchWriter
{
    private const int MostDue = 1_000;

    // What the rules know of a claim, an item and a due time does not depend on the kind.
    private static readonly JobTraits AnyKind = new();

    private readonly Kinds _kinds;
    private readonly JobTable _jobs;
    private readonly ItemTable _items;
    private readonly ResultTable _results;
    private readonly AttemptTable _attempts;
    private readonly ReadyJobs _ready;
    private readonly Statement _due;
    private readonly Statement _nextDue;
    private readonly List<JobRow> _dueRows = [];

    public BatchWriter(Connection connection, Kinds kinds, Blobs blobs, ReadyOrder order)
    {
        _kinds = kinds;
        _jobs = new JobTable(connection, blobs, order);
        _items = new ItemTable(connection, blobs);
        _results = new ResultTable(connection, blobs);
        _attempts = new AttemptTable(connection, blobs);
        _ready = new ReadyJobs(connection, kinds, blobs, _jobs);
        _due = connection.Prepare($"SELECT {JobRow.Columns} FROM job INDEXED BY job_due WHERE state = 1 AND due <= ?1 ORDER BY due, seq LIMIT ?2");
        _nextDue = connection.Prepare("SELECT due FROM job INDEXED BY job_due WHERE state = 1 ORDER BY due LIMIT 1");
    }

    /// <summary>The kinds that have jobs which are ready.</summary>
    public List<string> ReadyKinds() => _ready.Kinds();

    /// <summary>When the next job becomes ready.</summary>
    public DateTimeOffset? NextDue()
    {
        using (_nextDue.Use())
        {
            return _nextDue.Step() ? _nextDue.Time(0) : null;
        }
    }

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

        foreach (var action in batch.Actions)
        {
            Act(action, batch);
        }

        foreach (var job in batch.Jobs)
        {
            Accept(job, batch, refuses);
        }

        if (batch.MovesDue)
        {
            MoveDue(batch);
        }

        _ready.Begin();
        foreach (var claim in batch.Claims)
        {
            Claim(claim, batch);
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

        // A key belongs to one job while that is kept: another one cannot hold it.
        action.Before = row.Status;
        action.Change = JobRules.Decide(row.Status, action.Kind, action.Happened, action.Moment with { IsKeyHeld = false });
        if (action.Change.Verdict == JobVerdict.Gone)
        {
            Delete(row.Seq);
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
            _jobs.Edit(row.Seq, action.Signature, action.Payload.Span);
        }

        if (JobEffects.Ends(before, change))
        {
            row.Ended = batch.Now;
        }

        if (JobEffects.BecomesReady(before, change))
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
            job.IsKeyReused = existing.Fingerprint != job.Fingerprint;
            return;
        }

        if (refuses)
        {
            job.IsRefused = true;
            return;
        }

        var status = JobRules.Accept(job.Due, batch.Now);
        var starts = job.Starts && status.State == JobState.Ready;
        if (starts)
        {
            status = JobRules.Decide(status, AnyKind, JobEvent.Claimed, new JobMoment(batch.Now, 0)).Status;
        }

        _jobs.Insert(job, kind, status, batch.Now);
        if (starts)
        {
            job.Claimed = new ClaimedJob(ToRecord(job, status, batch.Now), job.Arguments);
        }
        else if (status.State == JobState.Ready)
        {
            batch.ReadyKinds.Add(job.Kind);
        }
    }

    private void MoveDue(JobBatch batch)
    {
        _dueRows.Clear();
        using (_due.Bind(1, batch.Now).Bind(2, MostDue).Use())
        {
            while (_due.Step())
            {
                _dueRows.Add(JobRow.Read(_due));
            }
        }

        foreach (var due in _dueRows)
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

    // What a job is that starts with its acceptance: it has nothing else yet.
    private static JobRecord ToRecord(NewJob job, in JobStatus status, DateTimeOffset now) => new()
    {
        Id = job.Id,
        Kind = job.Kind,
        Signature = job.Signature,
        Status = status,
        Submitted = job.Submitted,
        Started = now,
        Priority = job.Priority,
        Key = job.Key,
        Owner = job.Owner,
        Parent = job.Parent,
        TraceParent = job.TraceParent,
        TraceState = job.TraceState,
        Culture = job.Culture,
    };
}
