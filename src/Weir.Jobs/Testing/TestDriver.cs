using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using Weir.Jobs.Rules;
using Weir.Jobs.Running;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Testing;

/// <summary>
/// Runs the jobs of an application's test: claims them through the scheduler, which claims nothing by itself, and waits until their attempts have ended. Any thread.
/// </summary>
/// <param name="engine">Has the jobs. It runs none in the background.</param>
/// <param name="store">Its store.</param>
/// <param name="mode">When jobs run.</param>
[SuppressMessage("Design", "CA1001", Justification = "A semaphore without a wait handle has nothing to dispose of.")]
internal sealed class TestDriver(JobEngine engine, MemoryJobStore store, JobsTestingMode mode) : IJobDriver
{
    // Jobs that run one inside the other: without a limit one that submits itself would use up the memory.
    private const int MostNested = 100;

    // The attempts of which the start or the end is known and the other is not yet; one whose wait was given up stays.
    private readonly ConcurrentDictionary<(Guid Id, long Fence), TaskCompletionSource<JobRun>> _ended = new();

    // How deep jobs are inside others; those that are not in it are inside none. As many as run.
    private readonly ConcurrentDictionary<Guid, int> _depths = new();
    private readonly SemaphoreSlim _oneDrain = new(1);
    private volatile DrainCount? _drain;

    public MemoryJobStore Store => store;

    /// <summary>Makes jobs ready to be submitted and run: without a host, too.</summary>
    /// <exception cref="InvalidOperationException">The options are not those of <c>AddWeirJobs</c>, so that jobs would run in the background or survive the test (WEIR3002).</exception>
    public static void Attach(JobEngine engine, WeirJobsOptions options, JobsTestingMode mode)
    {
        if (options.Run || engine.Store is not MemoryJobStore store)
        {
            throw new InvalidOperationException(
                $"AddWeirJobsTesting was called, and jobs would run in the background or be kept in a store: WeirJobsOptions was registered by other code than AddWeirJobs. Remove that registration, and set options by AddWeirJobs(jobs => …). See {WeirCodes.InvalidOptions}.");
        }

        engine.Runner.Driver = new TestDriver(engine, store, mode);

        // A store in memory is open when the method returns, and the first occurrences of schedules are computed before the test moves its clock.
        engine.OpenAsync(CancellationToken.None).GetAwaiter().GetResult();
        engine.Start();
    }

    public async Task AcceptAsync(NewJobRequest[] jobs, CancellationToken cancellationToken)
    {
        if (mode == JobsTestingMode.Inline)
        {
            RequireDepth(jobs[0].Kind.Name);
        }

        await engine.Scheduler.AcceptAsync(jobs, cancellationToken);
        if (mode == JobsTestingMode.Inline)
        {
            foreach (var job in jobs.Where(static job => job.Job is { Existing: null }))
            {
                await RunAsync(job.Job.Id);
            }
        }
    }

    public async ValueTask<bool> WaitedForAsync(JobRecord job)
    {
        // Outside of jobs, another flow of the test may run it.
        if (CurrentJob.Value is not { } current || !job.Status.IsWaiting)
        {
            return false;
        }

        if (engine.Kinds.Find(job.Kind) is not { IsPaused: false })
        {
            throw new InvalidOperationException($"Job {current.Id} of {current.Kind} waits for job {job.Id} of {job.Kind}, which cannot run: its kind is paused. Resume it before DrainAsync, or before the outer job is submitted.");
        }

        RequireDepth(job.Kind);
        await MoveDueAsync();
        await MakeReadyAsync(job.Id);
        await RunAsync(job.Id);
        return true;
    }

    public void Ended(JobRun run)
    {
        _drain?.Add(run);
        WhenEnded(run.Record.Id, run.Fence).TrySetResult(run);
    }

    /// <summary>Runs what waits.</summary>
    /// <param name="kind">Only of this kind; <c>null</c> for all.</param>
    /// <param name="withScheduled">Whether jobs that wait for their time run, too.</param>
    /// <param name="limit">How many attempts at most.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async Task<JobsDrainResult> DrainAsync(JobKind? kind, bool withScheduled, int limit, CancellationToken cancellationToken)
    {
        if (CurrentJob.Value is { } current)
        {
            throw new InvalidOperationException($"DrainAsync is called in job {current.Id} of {current.Kind}: it would wait for the job in which it runs. Call it in the test.");
        }

        await _oneDrain.WaitAsync(cancellationToken);
        try
        {
            var count = new DrainCount();
            _drain = count;
            while (await StepAsync(kind, withScheduled, limit, count, cancellationToken))
            {
            }

            return count.Result;
        }
        finally
        {
            _drain = null;
            _oneDrain.Release();
        }
    }

    private async Task<bool> StepAsync(JobKind? kind, bool withScheduled, int limit, DrainCount count, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        count.Expired(await MoveDueAsync());
        var may = engine.Kinds.All.Where(one => !one.IsPaused && (kind is null || one == kind)).ToDictionary(static one => one.Name, StringComparer.Ordinal);
        JobKind[] ready = [.. store.ReadyKinds().Where(may.ContainsKey).Select(name => may[name])];
        if (ready.Length > 0)
        {
            if (count.Attempts >= limit)
            {
                throw new InvalidOperationException(
                    $"DrainAsync has run {count.Attempts} attempts, its limit, and jobs of {string.Join(", ", ready.Take(5).Select(static one => one.Name))} still wait. A job that submits itself again and again never ends; where there are really so many, raise the limit: DrainAsync(limit: …).");
            }

            if (await RunAsync(() => Next(ready), cancellationToken))
            {
                return true;
            }
        }

        // All that is ready now has to wait for what runs elsewhere, or nothing is ready.
        return withScheduled && store.NextScheduled(may.Keys.ToHashSet(StringComparer.Ordinal)) is { } id && await MakeReadyAsync(id);
    }

    // Under the lock of the scheduler, to which the turns belong. The kind whose job has been ready longest comes first.
    private static JobClaim Next(JobKind[] ready) => new()
    {
        Slots = 1,
        Kinds = [.. ready.Select(static kind => new KindClaim { Kind = kind.Name, Slots = 1, Limits = kind.Limits, Turn = kind.Turn })],
    };

    // One attempt of a job that is ready.
    private async Task RunAsync(Guid id)
    {
        _depths[id] = Depth() + 1;
        await RunAsync(() => new JobClaim { Slots = 1, Kinds = [], Only = id }, CancellationToken.None);
        _depths.TryRemove(id, out _);
    }

    // One attempt, to its durable end.
    private async Task<bool> RunAsync(Func<JobClaim> claim, CancellationToken cancellationToken)
    {
        JobClaim? made = null;
        await WriteAsync(batch => batch.Claims.Add(made = claim()));
        foreach (var job in made!.Jobs)
        {
            await WhenEnded(job.Record.Id, job.Record.Status.Fence).Task.WaitAsync(cancellationToken);
            _ended.TryRemove((job.Record.Id, job.Record.Status.Fence), out _);
        }

        return made.Jobs.Count > 0;
    }

    private async Task<int> MoveDueAsync()
    {
        var expired = 0;
        while (true)
        {
            JobBatch? made = null;
            await WriteAsync(batch =>
            {
                made = batch;
                batch.MovesDue = true;
                batch.ScheduleChanges.AddRange(engine.Schedules.Take(batch.Now));
            });
            expired += made!.Expired.Count;
            if (!made.IsBehind && !(made.NextDue <= made.Now))
            {
                return expired;
            }
        }
    }

    // As if its time had come. Nothing happens to a job that waits for none.
    private async Task<bool> MakeReadyAsync(Guid id)
    {
        await AskAsync(engine.Scheduler.ActAsync(new JobAction
        {
            Id = id,
            Happened = JobEvent.Due,
            Kind = new JobTraits(),
            Moment = new JobMoment(DateTimeOffset.MaxValue, 0),
        }));
        return true;
    }

    private Task WriteAsync(Action<JobBatch> add) => AskAsync(engine.Scheduler.WriteAsync(add));

    private static async Task AskAsync(Task asked)
    {
        try
        {
            await asked;
        }
        catch (JobStoreException failure)
        {
            throw StoreErrors.NoAnswer(failure);
        }
    }

    private int Depth() => CurrentJob.Value is { } current ? _depths.GetValueOrDefault(current.Id, 1) : 0;

    private void RequireDepth(string kind)
    {
        if (Depth() >= MostNested)
        {
            throw new InvalidOperationException(
                $"{MostNested} jobs run one inside the other, and another one of {kind} is to run inside the innermost: a job that submits itself and runs at once never ends. Submit fewer, or use JobsTestingMode.Manual and DrainAsync, which runs one job after the other.");
        }
    }

    private TaskCompletionSource<JobRun> WhenEnded(Guid id, long fence) =>
        _ended.GetOrAdd((id, fence), static _ => new TaskCompletionSource<JobRun>(TaskCreationOptions.RunContinuationsAsynchronously));
}
