using Weir.Jobs.Rules;

namespace Weir.Jobs.Storage;

/// <summary>Applies a batch to the rows of a store in memory.</summary>
internal readonly struct MemoryCommit(MemoryJobTable table, JobBatch batch)
{
    private const int MostDue = 1_000;
    private static readonly TimeSpan UndeclaredKept = TimeSpan.FromDays(1);

    // What the rules know of a claim, an item and a due time does not depend on the kind.
    private static readonly JobTraits AnyKind = new();

    public void Apply()
    {
        Check();
        Append();
        Report();
        Pause();
        Act();
        foreach (var job in batch.Jobs)
        {
            Accept(job);
        }

        Declare();
        ChangeSchedules();
        if (batch.MovesDue)
        {
            MoveDue();
            Expire();
        }

        Claim();
        batch.NextDue = Earlier(table.NextDue?.Status.Due, table.NextExpiry?.Expires);
    }

    private static DateTimeOffset? Earlier(DateTimeOffset? a, DateTimeOffset? b) => b is null || a < b ? a : b;

    // An id that is taken is all that cannot be applied.
    private void Check()
    {
        var ids = new HashSet<Guid>(batch.Jobs.Count);
        foreach (var job in batch.Jobs.Concat(batch.ScheduleChanges.Select(static change => change.Job).OfType<NewJob>()))
        {
            if (table.Find(job.Id) is not null || !ids.Add(job.Id))
            {
                throw new JobStoreException($"There is a job with the id {job.Id} already.");
            }
        }
    }

    private void Append()
    {
        foreach (var items in batch.Items)
        {
            items.Verdict = JobVerdict.Refused;
            if (table.Find(items.Id) is { } job)
            {
                items.Verdict = JobRules.Decide(job.Status, AnyKind, JobEvent.ItemAppended, new JobMoment(batch.Now, 0) { Fence = items.Fence }).Verdict;
                if (items.Verdict == JobVerdict.Applied)
                {
                    job.Append(items.Items);
                }

                items.Count = job.Items.Count;
            }
        }
    }

    private void Report()
    {
        foreach (var (id, fence, progress) in batch.Progress)
        {
            if (table.Find(id) is { Status.State: JobState.Running } job && job.Status.Fence == fence)
            {
                job.Progress = progress;
            }
        }
    }

    private void Pause()
    {
        foreach (var (kind, isPaused) in batch.Pauses)
        {
            if (isPaused)
            {
                table.Paused.Add(kind);
            }
            else if (table.Paused.Remove(kind) && table.Ready(kind) is not null)
            {
                batch.ReadyKinds.Add(kind);
            }
        }
    }

    private void Act()
    {
        foreach (var action in batch.Actions)
        {
            if (table.Find(action.Id) is not { } job)
            {
                action.Before = null;
                action.Change = new JobChange(default, JobVerdict.Refused);
                continue;
            }

            var before = job.Status;
            action.Before = before;
            action.Change = JobRules.Decide(before, action.Kind, action.Happened, action.Moment with { IsKeyHeld = IsKeyHeld(job, action.Happened) });
            if (action.Change.Verdict == JobVerdict.Gone)
            {
                table.Remove(job);
            }
            else if (action.Change.Verdict is JobVerdict.Applied or JobVerdict.Late)
            {
                Write(job, action, before);
            }
        }
    }

    private bool IsKeyHeld(MemoryJob job, JobEvent happened) =>
        happened == JobEvent.RetriedByHand && job.Unique is { } unique && table.Find(unique) is { } holder && holder != job;

    private void Write(MemoryJob job, JobAction action, JobStatus before)
    {
        var change = action.Change;
        if (JobEffects.EndsAttempt(action.Happened, change))
        {
            job.Keep(new JobAttempt(before.Fence, job.Started ?? batch.Now, batch.Now, action.Happened, before.Stop, action.Payload.ToArray()));
        }

        if (JobEffects.BeginsAgain(action.Happened, before, change))
        {
            job.BeginAgain();
        }

        if (JobEffects.HasResult(action.Happened, change))
        {
            job.Result = action.Payload.ToArray();
        }

        if (action.Happened == JobEvent.ArgumentsEdited)
        {
            table.Edit(job, action, batch.Now);
        }

        if (JobEffects.Ends(before, change))
        {
            job.Ended = batch.Now;
        }
        else if (!change.Status.HasEnded)
        {
            job.Ended = null;
        }

        if (JobEffects.BecomesReady(action.Happened, before, change))
        {
            batch.ReadyKinds.Add(job.Kind);
        }

        Change(job, change.Status);
    }

    private void Accept(NewJob call)
    {
        if (call.IdempotencyKey is { } key && table.Find((call.Kind, call.Owner, key)) is { } existing)
        {
            call.Existing = existing.Id;
            call.IsKeyReused = call.UniqueUntil == JobUniqueness.Retention && existing.Fingerprint != call.Fingerprint;
            return;
        }

        if (call.OnlyExisting)
        {
            call.IsRefused = true;
            return;
        }

        var job = table.Add(call, JobRules.Accept(call.Due, batch.Now));
        if (job.Status.State == JobState.Ready)
        {
            if (call.Starts && !table.Paused.Contains(call.Kind) && (call.Limits is not { } limits || table.Running(call.Kind).HasRoom(limits, call.Key)))
            {
                call.Claimed = Start(job);
            }
            else
            {
                batch.ReadyKinds.Add(job.Kind);
            }
        }
    }

    private void Declare()
    {
        if (batch.Schedules is not { } declared)
        {
            return;
        }

        foreach (var one in declared)
        {
            var before = table.Schedules.GetValueOrDefault(one.Name);
            table.Schedules[one.Name] = one.Record = one.Declare(before);
        }

        var names = declared.Select(static one => one.Name).ToHashSet(StringComparer.Ordinal);
        foreach (var other in table.Schedules.Values.Where(other => !names.Contains(other.Name)).ToArray())
        {
            var since = other.UndeclaredSince ?? batch.Now;
            if (batch.Now - since > UndeclaredKept)
            {
                table.Schedules.Remove(other.Name);
            }
            else
            {
                table.Schedules[other.Name] = other with { UndeclaredSince = since };
            }
        }
    }

    private void ChangeSchedules()
    {
        foreach (var change in batch.ScheduleChanges)
        {
            change.Record = table.Schedules.GetValueOrDefault(change.Name);
            if (change.Record is not { } record || !(change.IsApplied = change.AppliesTo(record)))
            {
                continue;
            }

            record = record with { Next = change.Next, IsPaused = change.IsPaused ?? record.IsPaused };
            change.IsSkipped = change is { Job: not null, SkipsWhileOpen: true } && record.LastJob is { } last && table.Find(last) is { Status.HasEnded: false };
            if (change.Job is { } job && !change.IsSkipped)
            {
                Accept(job);
                record = record with { LastDue = job.Due, LastJob = job.Id };
            }

            table.Schedules[change.Name] = change.Record = record;
        }
    }

    private void MoveDue()
    {
        for (var moved = 0; moved < MostDue && table.NextDue is { } job; moved++)
        {
            var change = JobRules.Decide(job.Status, AnyKind, JobEvent.Due, new JobMoment(batch.Now, 0));
            if (change.Verdict != JobVerdict.Applied)
            {
                return;
            }

            batch.ReadyKinds.Add(job.Kind);
            Change(job, change.Status);
        }
    }

    private void Expire()
    {
        for (var expired = 0; table.NextExpiry is { } job && job.Expires <= batch.Now; expired++)
        {
            if (expired == MostDue)
            {
                batch.IsBehind = true;
                return;
            }

            var change = JobRules.Decide(job.Status, AnyKind, JobEvent.Expired, new JobMoment(batch.Now, 0));
            job.Ended = batch.Now;
            batch.Expired.Add(new ExpiredJob(job.Id, job.Kind));
            Change(job, change.Status);
        }
    }

    private void Claim()
    {
        // Of each kind in turn, and across claims: they have kinds in common.
        var ready = new Dictionary<string, ReadyKind>(StringComparer.Ordinal);
        foreach (var claim in batch.Claims)
        {
            if (!batch.IsBehind)
            {
                Claim(claim, ready);
            }
        }

        // Two of them may have a kind in common.
        foreach (var claim in batch.Claims)
        {
            foreach (var kind in claim.Kinds)
            {
                kind.IsEmpty = !table.IsReady(kind.Kind);
            }
        }
    }

    private void Claim(JobClaim claim, Dictionary<string, ReadyKind> ready)
    {
        if (claim.Only is { } only)
        {
            if (table.Find(only) is { Status.State: JobState.Ready } one && !table.Paused.Contains(one.Kind))
            {
                claim.Jobs.Add(Start(one));
            }

            return;
        }

        var isServed = true;
        for (var turn = 0; isServed && claim.Jobs.Count < claim.Slots; turn++)
        {
            isServed = false;
            foreach (var kind in claim.Kinds)
            {
                // A kind without a job in one turn has none in the next.
                if (turn < kind.Slots && claim.Jobs.Count < claim.Slots && Next(kind, ready) is { } job)
                {
                    claim.Jobs.Add(job);
                    isServed = true;
                }
            }
        }
    }

    private ClaimedJob? Next(KindClaim claim, Dictionary<string, ReadyKind> ready)
    {
        if (table.Paused.Contains(claim.Kind))
        {
            return null;
        }

        if (!ready.TryGetValue(claim.Kind, out var kind))
        {
            ready.Add(claim.Kind, kind = new ReadyInMemory(table, claim.Kind, Start));
        }

        return kind.Next(claim);
    }

    private ClaimedJob Start(MemoryJob job)
    {
        var change = JobRules.Decide(job.Status, AnyKind, JobEvent.Claimed, new JobMoment(batch.Now, 0));
        Change(job, change.Status);
        return new ClaimedJob(job.ToRecord(), job.Arguments);
    }

    // A claim is the only change by which a job has one start more.
    private void Change(MemoryJob job, JobStatus status)
    {
        if (status.Starts > job.Status.Starts)
        {
            job.Started = batch.Now;
        }

        table.Change(job, status);
    }

    private sealed class ReadyInMemory(MemoryJobTable table, string kind, Func<MemoryJob, ClaimedJob> start) : ReadyKind
    {
        private MemoryJob? _job;

        protected override string? Move(JobPriority priority, string? afterKey)
        {
            _job = table.Ready(kind)?.Next(priority, afterKey);
            return _job?.Key;
        }

        protected override ClaimedJob Start() => start(_job!);

        protected override RunningCounts Running => table.Running(kind);
    }
}
