using Weir.Jobs.PostgreSql.Rows;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Writing;

/// <summary>Applies a batch to the rows that were read: everything up to its schedules. What is due, and what is claimed, the database finds after that is written.</summary>
internal readonly struct BatchRules(WorkUnit unit)
{
    private static readonly TimeSpan UndeclaredKept = TimeSpan.FromDays(1);

    // What the rules know of a claim and an item does not depend on the kind.
    private static readonly JobTraits AnyKind = new();

    private readonly JobBatch _batch = unit.Batch;

    public void Apply()
    {
        Append();
        Report();
        Pause();
        Act();
        foreach (var job in _batch.Jobs)
        {
            Accept(job);
        }

        Declare();
        ChangeSchedules();
    }

    public void Accept(NewJob call)
    {
        var key = call.IdempotencyKey is { } text ? new KeyId(call.Kind, call.Owner, text) : default(KeyId?);
        if (key is { } unique && unit.Keys.Find(unique) is { } existing)
        {
            call.Existing = existing.Job;
            call.IsKeyReused = call.UniqueUntil == JobUniqueness.Retention && existing.Fingerprint != call.Fingerprint;
            return;
        }

        if (unit.Refuses || call.OnlyExisting)
        {
            call.IsRefused = true;
            return;
        }

        var row = new JobRow
        {
            Id = call.Id,
            Kind = call.Kind,
            Key = call.Key,
            Owner = call.Owner,
            IdempotencyKey = call.IdempotencyKey,
            UniqueUntil = call.UniqueUntil,
            Fingerprint = call.Fingerprint,
            Place = RowPlace.New,
            Call = call,
            Seq = unit.NextSeq(),
            Expires = call.Expires?.UtcTicks ?? 0,
        };
        unit.Rows.Add(call.Id, row);
        unit.NewRows.Add(row);
        unit.Change(row, JobRules.Accept(call.Due, _batch.Now));
        if (row.Status.State != JobState.Ready)
        {
            return;
        }

        if (call.Starts && unit.MayStart && !unit.Paused.Contains(call.Kind) && unit.HasRoom(call))
        {
            unit.Change(row, JobRules.Decide(row.Status, AnyKind, JobEvent.Claimed, new JobMoment(_batch.Now, 0)).Status);
            call.Claimed = new ClaimedJob(call.ToRecord(row.Status, _batch.Now), call.Arguments);
        }
        else
        {
            BecomesReady(call.Kind);
        }
    }

    private void BecomesReady(string kind)
    {
        _batch.ReadyKinds.Add(kind);
        unit.News.ReadyKinds.Add(kind);
    }

    private void Append()
    {
        foreach (var items in _batch.Items)
        {
            (items.Verdict, items.Count) = (JobVerdict.Refused, 0);
            if (unit.Find(items.Id) is not { } row)
            {
                continue;
            }

            items.Verdict = JobRules.Decide(row.Status, AnyKind, JobEvent.ItemAppended, new JobMoment(_batch.Now, 0) { Fence = items.Fence }).Verdict;
            if (items.Verdict == JobVerdict.Applied)
            {
                foreach (var item in items.Items)
                {
                    unit.Items.Add((row.Id, row.Items++, row.Run, item));
                }

                row.IsChanged = true;
                Changed(row);
            }

            items.Count = row.Items;
        }
    }

    private void Report()
    {
        foreach (var (id, fence, progress) in _batch.Progress)
        {
            if (unit.Find(id) is { Status.State: JobState.Running } row && row.Status.Fence == fence)
            {
                (row.Progress, row.IsChanged) = (progress, true);
                Changed(row);
            }
        }
    }

    private void Pause()
    {
        foreach (var (kind, isPaused) in _batch.Pauses)
        {
            unit.News.HasPauses = true;
            if (isPaused)
            {
                unit.Paused.Add(kind);
            }
            else if (unit.Paused.Remove(kind) && unit.ReadyKinds.Contains(kind))
            {
                BecomesReady(kind);
            }
        }
    }

    private void Act()
    {
        foreach (var action in _batch.Actions)
        {
            if (unit.Find(action.Id) is not { } row)
            {
                action.Before = null;
                action.Change = new JobChange(default, JobVerdict.Refused);
                continue;
            }

            var before = row.Status;
            action.Before = before;
            action.Change = JobRules.Decide(before, action.Kind, action.Happened, action.Moment with { IsKeyHeld = IsKeyHeld(row, action.Happened) });
            if (action.Change.Verdict == JobVerdict.Gone)
            {
                row.IsGone = true;
                unit.Keys.Change(row);
                Changed(row, hasEnded: true);
            }
            else if (action.Change.Verdict is JobVerdict.Applied or JobVerdict.Late)
            {
                Write(row, action, before);
                Changed(row, row.Status.HasEnded);
            }
        }
    }

    private bool IsKeyHeld(JobRow row, JobEvent happened) =>
        happened == JobEvent.RetriedByHand && row.IdempotencyKey is { } key && unit.Keys.Find(new KeyId(row.Kind, row.Owner, key)) is { } holder && holder.Job != row.Id;

    private void Changed(JobRow row, bool hasEnded = false)
    {
        if (row.IsWatched)
        {
            unit.News.Changed(row.Id, hasEnded);
        }
    }

    private void Write(JobRow row, JobAction action, in JobStatus before)
    {
        var change = action.Change;
        if (JobEffects.EndsAttempt(action.Happened, change))
        {
            var started = row.Started == 0 ? _batch.Now : RowReader.Time(row.Started);
            unit.Attempts.Add((row.Id, ++row.Attempts, new JobAttempt(before.Fence, started, _batch.Now, action.Happened, before.Stop, action.Payload)));
            row.Failure = action.Payload;
        }

        if (JobEffects.BeginsAgain(action.Happened, before, change))
        {
            row.Run++;
            (row.Expires, row.Items, row.Progress, row.Result, row.BeganAgain) = (0, 0, null, null, true);
        }

        if (JobEffects.HasResult(action.Happened, change))
        {
            row.Result = action.Payload;
        }

        if (action.Happened == JobEvent.ArgumentsEdited)
        {
            unit.Attempts.Add((row.Id, ++row.Attempts, new JobAttempt(before.Fence, _batch.Now, _batch.Now, JobEvent.ArgumentsEdited, JobStop.None, row.Arguments)));
            (row.Arguments, row.Signature, row.Key, row.IsEdited) = (action.Payload, action.Signature, action.Key ?? row.Key, true);
        }

        if (JobEffects.Ends(before, change))
        {
            row.Ended = _batch.Now.UtcTicks;
        }

        if (JobEffects.BecomesReady(action.Happened, before, change))
        {
            BecomesReady(row.Kind);
        }

        if (change.Status is { State: JobState.Running, Stop: JobStop.Cancel } && before.Stop != JobStop.Cancel && row.Replica is { } runs && runs != unit.Replica)
        {
            unit.News.Stops.Add((runs, row.Id, before.Fence));
        }

        unit.Change(row, change.Status);
    }

    private void Declare()
    {
        if (_batch.Schedules is not { } declared)
        {
            return;
        }

        foreach (var one in declared)
        {
            Write(one.Record = one.Declare(unit.Schedules.GetValueOrDefault(one.Name)));
        }

        var names = declared.Select(static one => one.Name).ToHashSet(StringComparer.Ordinal);
        foreach (var other in unit.Schedules.Values.Where(other => !names.Contains(other.Name)).ToList())
        {
            var since = other.UndeclaredSince ?? _batch.Now;
            if (_batch.Now - since > UndeclaredKept)
            {
                unit.Schedules.Remove(other.Name);
                unit.WrittenSchedules.Remove(other.Name);
                unit.DeletedSchedules.Add(other.Name);
            }
            else if (other.UndeclaredSince is null)
            {
                Write(other with { UndeclaredSince = since });
            }
        }
    }

    private void Write(ScheduleRecord record)
    {
        if (unit.Schedules.GetValueOrDefault(record.Name) != record)
        {
            unit.Schedules[record.Name] = record;
            unit.WrittenSchedules.Add(record.Name);
        }
    }

    private void ChangeSchedules()
    {
        foreach (var change in _batch.ScheduleChanges)
        {
            change.Record = unit.Schedules.GetValueOrDefault(change.Name);
            change.IsApplied = false;
            if (change.Record is not { } record || !change.AppliesTo(record))
            {
                continue;
            }

            record = record with { Next = change.Next, IsPaused = change.IsPaused ?? record.IsPaused };
            change.IsSkipped = change is { Job: not null, SkipsWhileOpen: true } && record.LastJob is { } last && IsOpen(last);
            if (change.Job is { } job && !change.IsSkipped)
            {
                Accept(job);
                if (unit.Refuses && job.IsRefused)
                {
                    // The occurrence stays the next one until there is space for its job.
                    continue;
                }

                record = record with { LastDue = job.Due, LastJob = job.Id };
            }

            change.IsApplied = true;
            change.Record = record;
            Write(record);
        }
    }

    private bool IsOpen(Guid job) => unit.Rows.TryGetValue(job, out var row) ? row is { IsGone: false, Status.HasEnded: false } : unit.OpenLastJobs.Contains(job);
}
