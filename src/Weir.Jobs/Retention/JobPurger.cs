using Weir.Jobs.Diagnostics;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Retention;

/// <summary>
/// Deletes jobs that have ended when their time is over, and the oldest ones where more are kept than may be. Looks at all of them every ten minutes, in parts, and at the oldest ones when a bound is passed. Any thread.
/// </summary>
/// <param name="store">Is looked through.</param>
/// <param name="act">Applies an event to a job.</param>
/// <param name="options">How much is kept.</param>
/// <param name="time">The clock.</param>
/// <param name="log">The log.</param>
internal sealed class JobPurger(IJobStore store, Func<JobAction, Task<JobAction>> act, WeirJobsOptions options, TimeProvider time, JobLog log) : IDisposable
{
    // How many are deleted in one commit: fewer where that takes long, because jobs may have much that is deleted with them, and other work waits for the commit.
    private const int MostAtOnce = 100;
    private static readonly TimeSpan ShortCommit = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan LongCommit = TimeSpan.FromMilliseconds(50);

    private static readonly TimeSpan Interval = TimeSpan.FromMinutes(10);
    private static readonly TimeSpan FirstLook = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan EarlyShown = TimeSpan.FromHours(1);

    private readonly Lock _gate = new();
    private readonly CancellationTokenSource _stop = new();

    // Of the look that is under way.
    private readonly ClockJump _jump = new(time);
    private int _atOnce = MostAtOnce / 10;

    private ITimer? _timer;

    // Under _gate. How many are kept, where that was counted, and the look that is under way.
    private Task _looking = Task.CompletedTask;
    private bool _isCounted;
    private long _kept;
    private long _failed;
    private long _early;
    private long? _earlyAt;

    /// <summary>How many jobs were deleted early in the last hour; 0 where every job was kept as long as it should be.</summary>
    public long Early
    {
        get
        {
            lock (_gate)
            {
                return Early_NeedsLock();
            }
        }
    }

    /// <summary>Begins. Nothing is done at once: what starts has other things to do.</summary>
    public void Begin() => _timer = time.CreateTimer(static purger => ((JobPurger)purger!).Look(), this, FirstLook, Interval);

    /// <summary>A job has ended.</summary>
    public void Ended(JobState state)
    {
        lock (_gate)
        {
            (_kept, _failed) = state == JobState.Failed ? (_kept, _failed + 1) : (_kept + 1, _failed);
            if (!IsOver(_kept, options.MaxKept) && !IsOver(_failed, options.MaxKeptFailed))
            {
                return;
            }
        }

        Look(byAge: false);
    }

    /// <summary>Ends. A look that is under way ends with its next part.</summary>
    public void Dispose()
    {
        _stop.Cancel();
        _timer?.Dispose();
    }

    /// <summary>Begins to look, unless a look is under way.</summary>
    /// <param name="byAge">Whether jobs are deleted whose time is over, and not only those that are too many.</param>
    /// <returns>Completes when it has ended.</returns>
    public Task Look(bool byAge = true)
    {
        lock (_gate)
        {
            if (_looking.IsCompleted && !_stop.IsCancellationRequested)
            {
                _looking = Task.Run(() => LookAsync(byAge || !_isCounted));
            }

            return _looking;
        }
    }

    private static bool IsOver(long count, int? most) => most is { } bound && count > (long)bound + Math.Max(100, bound / 20);

    private async Task LookAsync(bool byAge)
    {
        try
        {
            if (byAge)
            {
                await DeleteOldAsync();
            }

            await DeleteTooManyAsync();
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
            // The application stops.
        }
        catch (JobStoreException failure)
        {
            // The next look begins again.
            log.NotPurged(failure);
        }
    }

    // Looks at all of them, and counts.
    private async Task DeleteOldAsync()
    {
        // The time of the whole look: a clock that is set during it is noticed by the next one.
        var now = time.GetUtcNow();
        var isBelieved = !_jump.IsAfterJump(now, out var jumped);
        if (jumped is { } by)
        {
            log.ClockJumped(by, ClockJump.Pause);
        }

        long kept = 0, failed = 0;
        for (long? after = 0; after is { } from;)
        {
            var part = await store.ReadEndedAsync(from, _stop.Token);
            var old = isBelieved ? part.Jobs.Where(job => PurgePlan.IsOld(job, options, now)).ToList() : [];
            await DeleteAsync(old);
            failed += Failed(part.Jobs) - Failed(old);
            kept += part.Jobs.Count - Failed(part.Jobs) - (old.Count - Failed(old));
            after = part.Next;
        }

        lock (_gate)
        {
            // What ended since the look began may be missing: it is little, and the next look counts again.
            (_kept, _failed, _isCounted) = (kept, failed, true);
        }
    }

    // Looks at the oldest ones, as far as it has to.
    private async Task DeleteTooManyAsync()
    {
        var size = options.MaxKeptBytes is null ? null : await store.SizeAsync(_stop.Token);
        PurgePlan plan;
        lock (_gate)
        {
            plan = new PurgePlan(options, _kept, _failed, size);
        }

        for (long? after = 0; after is { } from && !plan.IsDone;)
        {
            var part = await store.ReadEndedAsync(from, _stop.Token);
            var chosen = part.Jobs.Where(job => plan.Deletes(job)).ToList();
            await DeleteAsync(chosen);
            lock (_gate)
            {
                _failed -= Failed(chosen);
                _kept -= chosen.Count - Failed(chosen);
            }

            after = part.Next;
        }

        if (plan.Deleted > 0)
        {
            Tell(plan.Deleted);
        }
    }

    private static int Failed(IReadOnlyList<EndedJob> jobs) => jobs.Count(static job => job.State == JobState.Failed);

    private async Task DeleteAsync(List<EndedJob> jobs)
    {
        for (var done = 0; done < jobs.Count;)
        {
            _stop.Token.ThrowIfCancellationRequested();
            var (chunk, began) = (jobs.Skip(done).Take(_atOnce).ToArray(), time.GetTimestamp());
            var actions = await Task.WhenAll(chunk.Select(job => act(new JobAction { Id = job.Id, Happened = JobEvent.Purged, Kind = new JobTraits(), Moment = new JobMoment(job.Ended, 0) })));
            if (Array.Find(actions, static action => action is { Before.HasEnded: true, Change.Verdict: JobVerdict.Refused }) is { } damaged)
            {
                log.NotDeleted(damaged.Id);
            }

            var took = time.GetElapsedTime(began);
            _atOnce = took > LongCommit ? Math.Max(1, _atOnce / 2) : took < ShortCommit ? Math.Min(MostAtOnce, _atOnce * 2) : _atOnce;
            done += chunk.Length;
        }
    }

    private long Early_NeedsLock() => _earlyAt is { } at && time.GetElapsedTime(at) < EarlyShown ? _early : 0;

    // In the log once an hour.
    private void Tell(long early)
    {
        lock (_gate)
        {
            var before = Early_NeedsLock();
            _early = before + early;
            if (before > 0)
            {
                return;
            }

            _earlyAt = time.GetTimestamp();
        }

        log.DeletedEarly(early);
    }
}
