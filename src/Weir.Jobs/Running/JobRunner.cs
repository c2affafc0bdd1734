using System.Collections.Concurrent;
using Microsoft.Extensions.DependencyInjection;
using Weir.Jobs.Diagnostics;
using Weir.Jobs.Retention;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;
using Weir.Jobs.Watching;
using Weir.Runtime;

namespace Weir.Jobs.Running;

/// <summary>The attempts that run in this process, and what they share. Any thread.</summary>
/// <param name="pipeline">Runs calls.</param>
/// <param name="scopes">Where the services of an attempt come from.</param>
/// <param name="time">The clock.</param>
/// <param name="random">Of back-offs; used by any thread.</param>
/// <param name="watch">Those who wait for jobs.</param>
/// <param name="reports">The crash reports of workers.</param>
/// <param name="log">The log.</param>
/// <param name="meter">The instruments.</param>
internal sealed class JobRunner(
    CallPipeline pipeline, IServiceScopeFactory scopes, TimeProvider time, Random random, JobWatch watch, RecentReports reports, JobLog log, JobMeter meter) : IJobObserver
{
    /// <summary>The most bytes of a result.</summary>
    public const int MostResult = 64 * 1024 * 1024;

    /// <summary>After how long code in this process that ignores its token is named.</summary>
    public static readonly TimeSpan TokenPatience = TimeSpan.FromSeconds(10);

    /// <summary>How often the progress of a job is stored at most.</summary>
    public static readonly TimeSpan ProgressInterval = TimeSpan.FromSeconds(1);

    // As many as jobs may run at once.
    private readonly ConcurrentDictionary<Guid, JobRun> _runs = new();
    private TaskCompletionSource? _drained;

    public CallPipeline Pipeline => pipeline;

    public IServiceScopeFactory Scopes => scopes;

    public TimeProvider Time => time;

    public Random Random => random;

    public JobWatch Watch => watch;

    public RecentReports Reports => reports;

    public JobLog Log => log;

    public JobMeter Meter => meter;

    /// <summary>Set once, before the first attempt.</summary>
    public JobScheduler Scheduler { get; set; } = null!;

    /// <summary>Set once, before the first attempt; <c>null</c> where nothing is deleted.</summary>
    public JobPurger? Purger { get; set; }

    /// <summary>Starts jobs in place of the scheduler; <c>null</c> but in tests. Set once, before the first attempt.</summary>
    public IJobDriver? Driver { get; set; }

    /// <summary>The attempts now.</summary>
    public IEnumerable<JobRun> Runs => _runs.Values;

    /// <summary>The attempt of a job that runs here; <c>null</c> for none.</summary>
    public JobRun? Find(Guid id) => _runs.GetValueOrDefault(id);

    /// <summary>Waits until no attempt runs here.</summary>
    public async Task WhenDrainedAsync()
    {
        while (!_runs.IsEmpty)
        {
            var drained = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            Interlocked.Exchange(ref _drained, drained);
            if (!_runs.IsEmpty)
            {
                await drained.Task;
            }
        }
    }

    /// <summary>An attempt's outcome is durable, or the store has failed for good.</summary>
    public void Ended(JobRun run)
    {
        _runs.TryRemove(new(run.Record.Id, run));
        if (_runs.IsEmpty)
        {
            Volatile.Read(ref _drained)?.TrySetResult();
        }

        Driver?.Ended(run);
    }

    void IJobObserver.Started(ClaimedJob job, JobKind kind)
    {
        var run = new JobRun(this, job, kind);

        // An earlier attempt of the same job may still wait until its outcome has been written.
        _runs[job.Record.Id] = run;
        ThreadPool.UnsafeQueueUserWorkItem(run, preferLocal: false);
    }

    void IJobObserver.Accepted(IReadOnlyList<NewJobRequest> jobs)
    {
        foreach (var job in jobs)
        {
            if (job.Job.Existing is null)
            {
                meter.Accepted(job.Kind.Name);
            }
        }
    }

    void IJobObserver.Appended(NewItems items)
    {
        if (items.Verdict == JobVerdict.Applied)
        {
            watch.Changed(items.Id);
        }
        else
        {
            meter.Stale(Find(items.Id)?.Kind.Name);
        }
    }

    void IJobObserver.Acted(JobAction action, DateTimeOffset now)
    {
        meter.Acted(action);
        if (action is { Before.HasEnded: false, Change.Status.HasEnded: true })
        {
            Purger?.Ended(action.Change.Status.State);
        }

        if (action.Change.Verdict is JobVerdict.Applied or JobVerdict.Late or JobVerdict.Gone)
        {
            if (action is { Happened: JobEvent.CancelAsked, Change.Status.State: JobState.Running })
            {
                // Another attempt may have been claimed since.
                if (Find(action.Id) is { } run && run.Fence == action.Change.Status.Fence)
                {
                    run.Cancel();
                }
            }

            if (action.Change.Verdict == JobVerdict.Gone || action.Change.Status.HasEnded)
            {
                // In this order: who finds an attempt that is not settled hears of the end.
                Find(action.Id)?.Settle(action, now);
                watch.Ended(action.Id);
            }
            else
            {
                watch.Changed(action.Id);
            }
        }
    }

    void IJobObserver.Occurred(ScheduleChange change, DateTimeOffset now)
    {
        if (change is { IsApplied: true, Missed: { } missed })
        {
            log.Missed(change.Name, missed, now - missed, change.Job is null ? "no job is submitted for it" : "its job is submitted now");
        }

        if (change.IsSkipped)
        {
            log.Overlapped(change.Name, change.Job!.Due, change.Record!.LastJob);
        }
        else if (change.Job is { IsRefused: true, Due: var due })
        {
            log.NoSpaceFor(change.Name, due);
        }
        else if (change is { IsApplied: true, Job: { } job })
        {
            meter.Accepted(job.Kind);
        }
    }

    void IJobObserver.Expired(ExpiredJob job)
    {
        meter.Expired(job.Kind, job.Id);
        Purger?.Ended(JobState.Expired);
        watch.Ended(job.Id);
    }

    void IJobObserver.Committed(JobBatch batch, TimeSpan took) => meter.Committed(batch, took);

    void IJobObserver.CommitFailed(JobStoreException failure)
    {
        log.CommitFailed(failure);
        if (failure.IsFinal)
        {
            watch.Fail(StoreErrors.NoAnswer(failure));
        }
    }
}
