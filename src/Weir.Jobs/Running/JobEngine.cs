using Microsoft.Extensions.DependencyInjection;
using Weir.Jobs.Diagnostics;
using Weir.Jobs.Retention;
using Weir.Jobs.Rules;
using Weir.Jobs.Schedules;
using Weir.Jobs.Storage;
using Weir.Jobs.Watching;
using Weir.Runtime;

namespace Weir.Jobs.Running;

/// <summary>Everything that an application has for its jobs: owns the store, opens it, runs what it has, and closes it. One per application.</summary>
internal sealed class JobEngine : IAsyncDisposable
{
    // How long code that ignores its token is waited for after the tokens were cancelled, besides the grace of workers.
    private static readonly TimeSpan LastWait = TimeSpan.FromSeconds(3);

    // What a store did not report of another process is found within this time.
    private static readonly TimeSpan LongestUnreported = TimeSpan.FromSeconds(10);

    private static readonly TimeSpan LongestRetention = TimeSpan.FromDays(3_650);

    private readonly WeirJobsOptions _options;
    private readonly TaskCompletionSource _opened = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Guid _replica = Guid.NewGuid();
    private bool _isOpen;
    private readonly Lazy<Task> _drained;
    private JobStoreContent? _content;
    private bool _declaresLater;
    private int _isDisposed;

    /// <summary>Makes it. Nothing is opened.</summary>
    /// <exception cref="InvalidOperationException">No store was chosen, or an option is out of its range (WEIR3002).</exception>
    public JobEngine(IServiceProvider services, WeirJobsOptions options, JobLog log, System.Diagnostics.Metrics.IMeterFactory? meters)
    {
        _options = options;
        _drained = new(DrainAsync);
        if (options.MaxRunning < 1)
        {
            throw Invalid(nameof(options.MaxRunning), $"{options.MaxRunning}", "set it to 1 or more, or to null for no limit");
        }

        if (options.DrainTimeout < TimeSpan.Zero || options.DrainTimeout.TotalDays > 49)
        {
            throw Invalid(nameof(options.DrainTimeout), $"{options.DrainTimeout}", "set it to zero to 49 days");
        }

        Require(options.Retention, nameof(options.Retention));
        Require(options.FailedRetention, nameof(options.FailedRetention));
        Require(options.MaxKept, nameof(options.MaxKept));
        Require(options.MaxKeptBytes, nameof(options.MaxKeptBytes));
        Require(options.MaxKeptFailed, nameof(options.MaxKeptFailed));
        var time = services.GetService<TimeProvider>() ?? TimeProvider.System;
        var weir = services.GetRequiredService<WeirOptions>();
        var catalogs = services.GetRequiredService<WeirCatalogs>();
        Kinds = new JobKinds(catalogs, options, weir.Pool, services.GetRequiredService<WeirRuntime>().Pools.Select(static pool => pool.Name));
        Store = options.Store?.Invoke(services) ?? throw new InvalidOperationException(
            $"AddWeirJobs has no store: choose one, AddWeirJobs(jobs => jobs.UseSqlite(\"jobs.db\")) with the package Weir.Jobs.Sqlite, or jobs.UseMemory() for trials. See {WeirCodes.InvalidOptions}.");
        Time = time;
        Log = log;
        Meter = new JobMeter(meters, () => Kinds.All, () => Backlog?.Refresh(), time);
        Reports = new RecentReports(time);
        Runner = new JobRunner(
            services.GetRequiredService<CallPipeline>(), services.GetRequiredService<IServiceScopeFactory>(), time, new SharedRandom(_replica.GetHashCode()), Watch, Reports, log, Meter);
        Backlog = new JobBacklog(Store, Kinds, time);
        Schedules = new ScheduleBoard(
            ScheduleDeclarations.Of(Kinds.All.Select(static kind => kind.Operation), options, services, time.GetUtcNow()), JobId.New);
        Scheduler = new JobScheduler(Store, Kinds, Schedules, options.MaxRunning ?? int.MaxValue, options.Accept, time, Runner);
        Runner.Scheduler = Scheduler;
        Purger = new JobPurger(Store, Scheduler.ActAsync, options, time, log);
        Runner.Purger = Purger;
        LongestGrace = Kinds.All.Where(static kind => kind.Operation.Placement == Placement.Isolated).Select(kind => weir.Pool(kind.Operation.Pool!).CancelGrace).DefaultIfEmpty().Max();
    }

    public IJobStore Store { get; }

    /// <summary>The type of the claim that names the owner of a job over HTTP; <c>null</c> for the usual ones.</summary>
    public string? OwnerClaim => _options.OwnerClaim;

    public JobKinds Kinds { get; }

    /// <summary>Whether this process accepts jobs.</summary>
    public bool Accepts => _options.Accept;

    /// <summary>How many jobs this process runs at once.</summary>
    public long Slots => _options.Run ? Math.Min(_options.MaxRunning ?? int.MaxValue, Kinds.All.Where(static kind => kind.IsRun).Select(static kind => kind.Group).Distinct().Sum(static group => group.Most)) : 0;

    public TimeProvider Time { get; }

    public JobLog Log { get; }

    public JobMeter Meter { get; }

    public JobBacklog Backlog { get; }

    /// <summary>What this process declares. But for that, it belongs to the scheduler.</summary>
    public ScheduleBoard Schedules { get; }

    public JobPurger Purger { get; }

    public JobWatch Watch { get; } = new();

    public JobRunner Runner { get; }

    public JobScheduler Scheduler { get; }

    public RecentReports Reports { get; }

    /// <summary>How long a worker that was asked to cancel a job may take, in the slowest of its pools.</summary>
    public TimeSpan LongestGrace { get; }

    /// <summary>Completes when the store is open; throws why it could not be opened.</summary>
    public Task WhenOpen => _opened.Task;

    /// <summary>How much there is to do for processes that run what this one runs.</summary>
    public async ValueTask<JobDemand> DemandAsync(CancellationToken cancellationToken)
    {
        await WhenOpen.WaitAsync(cancellationToken);
        return await StoredJobs.AskAsync(Store.DemandAsync([.. Kinds.All.Where(static kind => kind is { IsRun: true, IsPaused: false }).Select(static kind => kind.Name)], cancellationToken));
    }

    /// <summary>
    /// A job is waited for that does not run here: what other processes do with it is reported from now on. Before the store is asked for it.
    /// </summary>
    public async ValueTask WatchAsync(Guid id, CancellationToken cancellationToken)
    {
        if (Store.HasManyReplicas && Runner.Find(id) is null)
        {
            try
            {
                await Store.WatchAsync(id, cancellationToken);
            }
            catch (JobStoreException failure)
            {
                throw StoreErrors.NoAnswer(failure);
            }
        }
    }

    /// <summary>Waits for a change of a job. What another process does may not be reported: then it is asked for after a while.</summary>
    /// <returns>Whether to ask for the job because of the time alone.</returns>
    public async Task<bool> WaitAsync(JobWatch.Watcher watcher, CancellationToken cancellationToken)
    {
        if (!Store.HasManyReplicas)
        {
            await watcher.WaitAsync(cancellationToken);
            return false;
        }

        using var waiting = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var change = watcher.WaitAsync(waiting.Token);
        try
        {
            await change.WaitAsync(LongestUnreported, Time, cancellationToken);
            return false;
        }
        catch (TimeoutException)
        {
            await waiting.CancelAsync();
            await change.ContinueWith(static _ => { }, CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
            return true;
        }
    }

    /// <summary>Opens the store, unless it is open.</summary>
    /// <exception cref="InvalidOperationException">Another process has it (WEIR3026), or it cannot be used (WEIR3027).</exception>
    public async Task OpenAsync(CancellationToken cancellationToken)
    {
        if (_isOpen)
        {
            return;
        }

        try
        {
            _content = await Store.OpenAsync(
                new JobReplica(_replica, _options.Run ? [.. Kinds.All.Where(static kind => kind.IsRun).Select(static kind => new ReplicaKind(kind.Name, kind.Operation.Signature, kind.Limits?.MaxTotal))] : []), cancellationToken);
            Scheduler.Open(_content);
            await DeclareAsync(_content);
            _isOpen = true;
            if (!Store.IsDurable && Runner.Driver is null)
            {
                Log.OnlyInMemory();
            }

            Log.Opened(Store.Description, Kinds.All.Count, _content.Lost.Count);

            // Other services of the application submit while they start.
            _opened.TrySetResult();
        }
        catch (Exception failure)
        {
            _opened.TrySetException(failure);
            _ = _opened.Task.Exception;
            throw;
        }
    }

    /// <summary>Jobs run from now on. What an earlier process had left running is presumed lost first. A second call changes nothing.</summary>
    public void Start()
    {
        if (Interlocked.Exchange(ref _content, null) is not { } content)
        {
            return;
        }

        foreach (var lost in content.Lost)
        {
            _ = Lose(lost);
        }

        if (_declaresLater)
        {
            _ = Scheduler.WriteAsync(Declare);
        }

        Scheduler.Begin(content, _options.Run);
        Store.Listen(new StoreNews(Scheduler, Runner, Watch, Lose));
        if (_options.Run)
        {
            if (!Store.DeletesEnded)
            {
                Purger.Begin();
            }

            foreach (var kind in Kinds.All.Where(kind => !kind.Operation.IsIdempotent && (kind.Timeout is null || kind.Timeout > _options.DrainTimeout) && kind.Timeout != new OperationJob().Timeout))
            {
                Log.LongerThanDrain(kind.Name, kind.Timeout, _options.DrainTimeout);
            }
        }
    }

    /// <summary>No job starts any more; those that run have <see cref="WeirJobsOptions.DrainTimeout"/> to end. A second call, also at the same time, changes nothing.</summary>
    public void BeginDrain() => _ = _drained.Value;

    /// <summary>Waits until no job runs, and what they brought is written.</summary>
    /// <param name="cancellationToken">Ends the wait: what still runs is left behind.</param>
    public async Task WhenDrainedAsync(CancellationToken cancellationToken)
    {
        try
        {
            await _drained.Value.WaitAsync(cancellationToken);
        }
        catch (OperationCanceledException)
        {
            var left = Runner.Runs.ToArray();
            Log.LeftBehind(left.Length, Names(left));
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) == 0)
        {
            Purger.Dispose();
            await CloseAsync();
            Scheduler.Dispose();
            _opened.TrySetException(new ObjectDisposedException(nameof(IJobs), "The application has stopped: its store of jobs is closed."));
            _ = _opened.Task.Exception;
            Watch.Fail(StoreErrors.NoAnswer(new JobStoreException("The application has stopped, and its store is closed.")));
            await Store.DisposeAsync();
        }
    }

    // A store that does not answer keeps no process from its end: what it has not taken is found by others when the lease of this one is over.
    private async Task CloseAsync()
    {
        var closing = Scheduler.CloseAsync();
        if (!Store.HasManyReplicas)
        {
            await closing;
            return;
        }

        try
        {
            await closing.WaitAsync(LastWait, Time);
        }
        catch (TimeoutException)
        {
            await Store.DisposeAsync();
            await closing;
        }
    }

    private async Task LeaveAsync()
    {
        try
        {
            await Store.LeaveAsync();
        }
        catch (JobStoreException failure)
        {
            // Others wait until the lease of this process is over.
            Log.CommitFailed(failure);
        }
    }

    private async Task DrainAsync()
    {
        Purger.Dispose();

        // Not until all is written: callers that do not stop, and a disk that is full, would keep the drain from its end.
        await Scheduler.StopClaimsAsync();
        if (!_isOpen)
        {
            return;
        }

        // Jobs are not kept from their end by a store that does not answer.
        var leaving = LeaveAsync();
        await DrainRunsAsync();
        await leaving;
    }

    private async Task DrainRunsAsync()
    {
        var running = Runner.Runs.Count();
        if (running == 0)
        {
            return;
        }

        Log.Draining(_options.DrainTimeout, running);
        try
        {
            await Runner.WhenDrainedAsync().WaitAsync(_options.DrainTimeout, Time);
            return;
        }
        catch (TimeoutException)
        {
        }

        var late = Runner.Runs.ToArray();
        Log.Interrupting(late.Length, _options.DrainTimeout, Names(late));
        foreach (var run in late)
        {
            run.Drain();
        }

        try
        {
            await Runner.WhenDrainedAsync().WaitAsync(LongestGrace + LastWait, Time);
        }
        catch (TimeoutException)
        {
            late = [.. Runner.Runs];
            Log.LeftBehind(late.Length, Names(late));
        }
    }

    // Before anything else uses the store. One that has no space now is no reason not to start.
    private async Task DeclareAsync(JobStoreContent content)
    {
        foreach (var schedule in Schedules.Declared.Where(static schedule => schedule.Error is not null))
        {
            Log.NotComputed(schedule.Name, schedule.Error!);
        }

        if (!(_options.Run || Runner.Driver is not null) || (Schedules.Declared.Count == 0 && !content.HasSchedules))
        {
            return;
        }

        var batch = new JobBatch(Time.GetUtcNow());
        Declare(batch);
        try
        {
            await Store.CommitAsync(batch);
            Schedules.Apply(batch.Schedules!);
        }
        catch (JobStoreException failure)
        {
            Log.CommitFailed(failure);
            _declaresLater = true;
        }
    }

    private void Declare(JobBatch batch) => batch.Schedules = Schedules.Declare(batch.Now);

    private async Task Lose(LostAttempt lost)
    {
        // What is to become of a job is for a process to say that has its operation: until one opens the store, it stays as it is.
        if (Kinds.Find(lost.Kind) is not { } kind)
        {
            return;
        }

        await Scheduler.ActAsync(new JobAction
        {
            Id = lost.Id,
            Happened = JobEvent.OwnerLost,
            KindName = lost.Kind,
            Kind = kind.TraitsWith(lost.Items),
            Moment = new JobMoment(Time.GetUtcNow(), Runner.Random.NextDouble()) { Fence = lost.Fence },
        });
    }

    private static string Names(JobRun[] runs) => string.Join(", ", runs.Take(5).Select(static run => $"{run.Record.Id} of {run.Kind}")) + (runs.Length > 5 ? $" and {runs.Length - 5} more" : "");

    private static void Require(TimeSpan? time, string option)
    {
        if (time < TimeSpan.Zero || time > LongestRetention)
        {
            throw Invalid(option, $"{time}", $"set it to zero to {LongestRetention.TotalDays} days, or to null for no limit");
        }
    }

    private static void Require(long? count, string option)
    {
        if (count < 0)
        {
            throw Invalid(option, $"{count}", "set it to 0 or more, or to null for no limit");
        }
    }

    private static InvalidOperationException Invalid(string option, string value, string step) => new($"Weir:Jobs:{option} is {value}; {step}. See {WeirCodes.InvalidOptions}.");
}
