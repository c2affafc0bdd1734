using Weir.Jobs.Rules;

namespace Weir.Jobs.Storage;

/// <summary>Applies a batch to the rows of a store in memory.</summary>
internal readonly struct MemoryCommit(MemoryJobTable table, JobBatch batch)
{
    private const int MostDue = 1_000;

    // What the rules know of a claim, an item and a due time does not depend on the kind.
    private static readonly JobTraits AnyKind = new();

    public void Apply()
    {
        Check();
        Append();
        Report();
        Act();
        Accept();
        if (batch.MovesDue)
        {
            MoveDue();
        }

        Claim();
        batch.NextDue = table.NextDue?.Status.Due;
    }

    // An id that is taken is all that cannot be applied.
    private void Check()
    {
        var ids = new HashSet<Guid>(batch.Jobs.Count);
        foreach (var job in batch.Jobs)
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
        happened == JobEvent.RetriedByHand && job.Unique is { } unique && table.Find(unique) is { } holder && holder != job && !holder.Status.HasEnded;

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
            job.Edit(action.Signature, action.Payload);
        }

        if (JobEffects.Ends(before, change))
        {
            job.Ended = batch.Now;
        }
        else if (!change.Status.HasEnded)
        {
            job.Ended = null;
        }

        if (JobEffects.BecomesReady(before, change))
        {
            batch.ReadyKinds.Add(job.Kind);
        }

        Change(job, change.Status);
    }

    private void Accept()
    {
        foreach (var call in batch.Jobs)
        {
            if (call.IdempotencyKey is { } key && table.Find((call.Kind, call.Owner, key)) is { } existing)
            {
                call.Existing = existing.Id;
                call.IsKeyReused = existing.Fingerprint != call.Fingerprint;
                continue;
            }

            var job = table.Add(call, JobRules.Accept(call.Due, batch.Now));
            if (job.Status.State != JobState.Ready)
            {
                continue;
            }

            if (call.Starts)
            {
                call.Claimed = Start(job);
            }
            else
            {
                batch.ReadyKinds.Add(job.Kind);
            }
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

    private void Claim()
    {
        foreach (var claim in batch.Claims)
        {
            Claim(claim);
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

    private void Claim(JobClaim claim)
    {
        var isServed = true;
        for (var turn = 0; isServed && claim.Jobs.Count < claim.Slots; turn++)
        {
            isServed = false;
            foreach (var kind in claim.Kinds)
            {
                // A kind without a job in one turn has none in the next.
                if (turn < kind.Slots && claim.Jobs.Count < claim.Slots && table.NextReady(kind.Kind, kind.AfterKey) is { } job)
                {
                    claim.Jobs.Add(Start(job));
                    kind.AfterKey = job.Key;
                    isServed = true;
                }
            }
        }
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
}
