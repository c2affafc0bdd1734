using System.Runtime.CompilerServices;
using System.Text;
using Weir.Jobs.Diagnostics;
using Weir.Jobs.Payloads;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;
using Weir.Runtime;

namespace Weir.Jobs.Running;

/// <summary>The jobs of this application's store: what handles and <c>IJobs</c> ask. Any thread.</summary>
/// <param name="engine">Has the store.</param>
/// <param name="arguments">Binds and validates arguments.</param>
internal sealed class StoredJobs(JobEngine engine, JobArguments arguments) : JobSource, IJobs
{
    private static readonly TimeSpan CountAge = TimeSpan.FromSeconds(10);

    private readonly Lock _gate = new();
    private StoredSchedules? _schedules;

    // Under _gate.
    private Task<IReadOnlyList<JobCount>>? _counts;
    private long _counted;

    public IJobSchedules Schedules => _schedules ?? Interlocked.CompareExchange(ref _schedules, new StoredSchedules(engine, this), null) ?? _schedules;

    public Job Get(Guid id) => new(this, id);

    public Job<T> Get<T>(Guid id) => new(this, id);

    public JobStream<T> GetStream<T>(Guid id) => new(this, id);

    public override async ValueTask<JobInfo?> GetAsync(Guid id, CancellationToken cancellationToken) => await FindAsync(id, cancellationToken) is { } job ? Describe(job) : null;

    /// <summary>A job as it is stored; <c>null</c> where there is none.</summary>
    public async ValueTask<JobRecord?> FindAsync(Guid id, CancellationToken cancellationToken)
    {
        if (!engine.WhenOpen.IsCompletedSuccessfully)
        {
            await engine.WhenOpen.WaitAsync(cancellationToken);
        }

        return await AskAsync(engine.Store.FindAsync(id, cancellationToken));
    }

    public override async Task<JobInfo> WaitAsync(Guid id, CancellationToken cancellationToken) => Describe(await EndAsync(id, cancellationToken));

    public override async Task ResultAsync(Guid id, CancellationToken cancellationToken) => RequireSuccess(await EndAsync(id, cancellationToken, mustBeOther: true));

    public override async Task<T> ResultAsync<T>(Guid id, CancellationToken cancellationToken)
    {
        var job = await EndAsync(id, cancellationToken, mustBeOther: true);
        RequireSuccess(job);
        var stored = await ReadResultAsync(job, cancellationToken);
        if (engine.Kinds.Find(job.Kind)?.Operation is not { } operation)
        {
            throw Unreadable(job, "this process has no operation of its kind", null);
        }

        if (operation.CreateCall(operation) is not Call<T> call || stored.Encoding is not { } encoding)
        {
            throw Unreadable(job, $"{operation} returns no {typeof(T)}", null);
        }

        try
        {
            call.SetEncodedResult(stored.Body.Span, encoding);
            return call.Value;
        }
        catch (ProtocolViolationException failure)
        {
            throw Unreadable(job, $"it was written by another version of {operation}, and is no {typeof(T)} now", failure);
        }
    }

    public override async IAsyncEnumerable<T> ItemsAsync<T>(Guid id, long from, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(from);
        var job = await FindAsync(id, cancellationToken) ?? throw Missing(id);
        var call = StreamOf<T>(job);
        using var reader = new JobItemReader(engine, this, job, from);
        while (await reader.ReadAsync(cancellationToken) is { } items)
        {
            foreach (var item in items)
            {
                yield return ItemOf(call, item, job);
            }
        }
    }

    public override async ValueTask<JobInfo?> CancelAsync(Guid id, CancellationToken cancellationToken)
    {
        var action = await ActAsync(id, JobEvent.CancelAsked, cancellationToken);
        return action.Before is null ? null : await GetAsync(id, cancellationToken);
    }

    public async ValueTask<IReadOnlyList<JobInfo>> ListAsync(JobQuery? query, CancellationToken cancellationToken) =>
        [.. (await ListRecordsAsync(query ?? new JobQuery(), cancellationToken)).Select(Describe)];

    /// <summary>Jobs that meet all conditions, as they are stored.</summary>
    public async ValueTask<IReadOnlyList<JobRecord>> ListRecordsAsync(JobQuery query, CancellationToken cancellationToken)
    {
        if (query.Limit is < 1 or > 1_000)
        {
            throw new ArgumentOutOfRangeException(nameof(query), query.Limit, "Set Limit to 1 to 1,000.");
        }

        await engine.WhenOpen.WaitAsync(cancellationToken);
        return await AskAsync(engine.Store.ListAsync(query, cancellationToken));
    }

    public async ValueTask<IReadOnlyList<JobCount>> CountsAsync(CancellationToken cancellationToken)
    {
        await engine.WhenOpen.WaitAsync(cancellationToken);
        Task<IReadOnlyList<JobCount>> counts;
        lock (_gate)
        {
            if (_counts is null or { IsFaulted: true } or { IsCanceled: true } || engine.Time.GetElapsedTime(_counted) > CountAge)
            {
                _counts = Task.Run(() => AskAsync(engine.Store.CountAsync(CancellationToken.None)).AsTask());
                _counted = engine.Time.GetTimestamp();
            }

            counts = _counts;
        }

        return await counts.WaitAsync(cancellationToken);
    }

    public async ValueTask<IReadOnlyList<JobAttemptInfo>> AttemptsAsync(Guid id, CancellationToken cancellationToken)
    {
        await engine.WhenOpen.WaitAsync(cancellationToken);
        return [.. (await AskAsync(engine.Store.ReadAttemptsAsync(id, cancellationToken))).Select(Describe)];
    }

    public async ValueTask<Job> RetryAsync(Guid id, CancellationToken cancellationToken)
    {
        var action = await ActAsync(id, JobEvent.RetriedByHand, cancellationToken);
        switch (action)
        {
            case { Before: null }:
                throw Missing(id);
            case { Change.Verdict: JobVerdict.NewJob }:
                return await SubmitAgainAsync(id, cancellationToken);
            case { Change.Verdict: JobVerdict.Refused, Before: { } before }:
                throw new JobException(id, before.State, before.Reason, $"Job {id} is {Word(before.State)} and cannot be begun again now: {(before.HasEnded ? "another job that has not ended has its idempotency key" : "wait until it has ended")}. See {WeirCodes.JobWithoutResult}.");
            default:
                return new Job(this, id);
        }
    }

    public async ValueTask<string> ArgumentsAsync(Guid id, CancellationToken cancellationToken)
    {
        await engine.WhenOpen.WaitAsync(cancellationToken);
        var call = await AskAsync(engine.Store.FindCallAsync(id, cancellationToken)) ?? throw Missing(id);
        return Values(call.Arguments)
            ?? throw new JobException(id, null, JobReason.Arguments, $"The arguments of job {id} of {call.Kind} were stored by another version of Weir and cannot be read: give it others with EditAsync. See {WeirCodes.JobWithoutResult}.");
    }

    public async ValueTask<JobInfo> EditAsync(Guid id, string json, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(json);
        await engine.WhenOpen.WaitAsync(cancellationToken);
        var stored = await AskAsync(engine.Store.FindCallAsync(id, cancellationToken)) ?? throw Missing(id);
        var kind = KindOf(id, stored.Kind);
        return await EditAsync(id, kind, JobArguments.Bind(kind.Operation, StoredArguments.Replace(stored.Arguments, Encoding.UTF8.GetBytes(json))), cancellationToken);
    }

    /// <summary>Gives a job the arguments of a call.</summary>
    public async ValueTask<JobInfo> EditAsync(Guid id, Call call, CancellationToken cancellationToken)
    {
        await engine.WhenOpen.WaitAsync(cancellationToken);
        var job = await AskAsync(engine.Store.FindAsync(id, cancellationToken)) ?? throw Missing(id);
        return KindOf(id, job.Kind) is var kind && kind == engine.Kinds.Of(call.Operation)
            ? await EditAsync(id, kind, call, cancellationToken)
            : throw new JobException(id, job.Status.State, job.Status.Reason, $"Job {id} is of the kind {job.Kind}, and its arguments cannot be those of {call.Operation}. See {WeirCodes.JobWithoutResult}.");
    }

    public async ValueTask<IReadOnlyList<JobKindInfo>> KindsAsync(CancellationToken cancellationToken)
    {
        await engine.WhenOpen.WaitAsync(cancellationToken);
        return [.. engine.Kinds.All.OrderBy(static kind => kind.Name, StringComparer.Ordinal).Select(static kind => new JobKindInfo { Name = kind.Name, IsPaused = kind.IsPaused, Running = kind.Running })];
    }

    public ValueTask PauseAsync(string kind, CancellationToken cancellationToken) => PauseAsync(kind, isPaused: true, cancellationToken);

    public ValueTask ResumeAsync(string kind, CancellationToken cancellationToken) => PauseAsync(kind, isPaused: false, cancellationToken);

    public async ValueTask<bool> PurgeAsync(Guid id, CancellationToken cancellationToken)
    {
        var action = await ActAsync(id, JobEvent.Purged, cancellationToken);
        return action switch
        {
            { Before: null } => false,
            { Change.Verdict: JobVerdict.Gone } => true,
            { Before: { } before } => throw new JobException(id, before.State, before.Reason, $"Job {id} is {Word(before.State)}: only a job that has ended can be deleted. Cancel it first. See {WeirCodes.JobWithoutResult}."),
        };
    }

    private async ValueTask PauseAsync(string name, bool isPaused, CancellationToken cancellationToken)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        var kind = engine.Kinds.FindAnyCase(name);
        await engine.WhenOpen.WaitAsync(cancellationToken);
        await WriteAsync(batch => batch.Pauses.Add(new KindPause(kind.Name, isPaused)), cancellationToken);
    }

    private async ValueTask<JobInfo> EditAsync(Guid id, JobKind kind, Call call, CancellationToken cancellationToken)
    {
        var action = await ActAsync(id, JobEvent.ArgumentsEdited, cancellationToken, arguments.Write(call), call.Operation.Signature, kind.OwnKey(call));
        return action switch
        {
            { Before: null } => throw Missing(id),
            { Change.Verdict: JobVerdict.Refused, Before: { } before } =>
                throw new JobException(id, before.State, before.Reason, $"Job {id} is {Word(before.State)}, and its arguments cannot be changed now: {(before.HasEnded ? "submit a new one" : "cancel it first")}. See {WeirCodes.JobWithoutResult}."),
            _ => await GetAsync(id, cancellationToken) ?? throw Missing(id),
        };
    }

    private JobKind KindOf(Guid id, string name) => engine.Kinds.Find(name)
        ?? throw new JobException(id, null, JobReason.None, $"Job {id} is of the kind {name}, and this process has no operation of it. See {WeirCodes.JobWithoutResult}.");

    private async Task<JobAction> ActAsync(
        Guid id, JobEvent happened, CancellationToken cancellationToken, ReadOnlyMemory<byte> payload = default, ulong signature = 0, string? key = null)
    {
        await engine.WhenOpen.WaitAsync(cancellationToken);
        var acting = engine.Scheduler.ActAsync(new JobAction
        {
            Id = id,
            Happened = happened,
            Kind = new JobTraits(),
            Moment = new JobMoment(engine.Time.GetUtcNow(), 0),
            Payload = payload,
            Signature = signature,
            Key = key,
        });
        return await AskAsync(new ValueTask<JobAction>(acting.WaitAsync(cancellationToken)));
    }

    /// <summary>Writes something in the next commit.</summary>
    public async ValueTask WriteAsync(Action<JobBatch> add, CancellationToken cancellationToken)
    {
        try
        {
            await engine.Scheduler.WriteAsync(add).WaitAsync(cancellationToken);
        }
        catch (JobStoreException failure)
        {
            throw StoreErrors.NoAnswer(failure);
        }
    }

    // A new job with the same call that names this one.
    private async Task<Job> SubmitAgainAsync(Guid id, CancellationToken cancellationToken)
    {
        var call = await AskAsync(engine.Store.FindCallAsync(id, cancellationToken)) ?? throw Missing(id);
        var kind = KindOf(id, call.Kind);
        var now = engine.Time.GetUtcNow();
        var again = JobId.New(now);
        var request = new NewJobRequest(kind, new NewJob
        {
            Id = again,
            Kind = call.Kind,
            Signature = call.Signature,
            Arguments = call.Arguments,
            Submitted = now,
            Due = now,
            Priority = call.Priority,
            Key = call.Key,
            Owner = call.Owner,
            Parent = id,
            Culture = call.Culture,
        });
        await engine.Scheduler.AcceptAsync([request], cancellationToken);
        return new Job(this, request.Job.Id);
    }

    /// <summary>Waits until a job has ended.</summary>
    /// <param name="id">The job.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <param name="mustBeOther">Whether a job that waits for one of its own kind is refused.</param>
    /// <exception cref="JobException">There is none, or it was deleted.</exception>
    public async Task<JobRecord> EndAsync(Guid id, CancellationToken cancellationToken, bool mustBeOther = false)
    {
        await engine.WhenOpen.WaitAsync(cancellationToken);
        using var watcher = engine.Watch.Begin(id, onlyEnd: true);
        if (engine.Runner.Find(id) is { } run)
        {
            // It runs here: the store has nothing to add until it has ended, and where it ends with this attempt nothing then.
            RequireOtherKind(id, run.Kind.Name, mustBeOther);
            if (!run.IsSettled)
            {
                await engine.WaitAsync(watcher, cancellationToken);
            }

            if (run.Ended is { } ended)
            {
                return ended;
            }
        }

        for (var mustWatch = true; ;)
        {
            if (mustWatch)
            {
                await engine.WatchAsync(id, cancellationToken);
            }

            var job = await AskAsync(engine.Store.FindAsync(id, cancellationToken)) ?? throw Missing(id);
            RequireOtherKind(id, job.Kind, mustBeOther);
            if (job.Status.HasEnded)
            {
                return job;
            }

            if (engine.Runner.Driver is not { } driver || !await driver.WaitedForAsync(job))
            {
                mustWatch = await engine.WaitAsync(watcher, cancellationToken);
            }
        }
    }

    private static void RequireOtherKind(Guid id, string kind, bool mustBeOther)
    {
        if (mustBeOther && CurrentJob.Value is { } current && current.Kind == kind)
        {
            throw new InvalidOperationException(
                $"Job {current.Id} waits for job {id}, and both are {kind}: it would keep the place that the other one needs. Let it end and submit what is to follow in its last line, or give the other one a kind of its own.");
        }
    }

    /// <summary>The result of a job that has succeeded.</summary>
    /// <exception cref="JobException">It was deleted, or another version of Weir stored it.</exception>
    public async ValueTask<StoredResult> ReadResultAsync(JobRecord job, CancellationToken cancellationToken) =>
        ResultOf(job, await AskAsync(engine.Store.ReadResultAsync(job.Id, cancellationToken)) ?? throw Missing(job.Id));

    /// <summary>What those who ask for the result of a job that has ended catch; <c>null</c> where it has succeeded.</summary>
    public Exception? FailureOf(JobRecord job)
    {
        var status = job.Status;
        if (status.State == JobState.Succeeded)
        {
            return null;
        }

        var failure = JobFailure.Read(job.Failure);
        return (status.State, status.Reason) switch
        {
            (JobState.Failed, JobReason.Exception or JobReason.Crashed or JobReason.Quarantined) => JobFailures.ToException(failure, engine.Kinds.Find(job.Kind)?.Operation),
            (JobState.Failed, JobReason.Timeout) => TooLate(job),
            (JobState.Failed, JobReason.Lost) => Without(job, "the process that ran it is gone, and it may have run or not. Look at what it does, then retry it or leave it"),
            (JobState.Failed, JobReason.Interrupted) => Without(job, "its host stopped before it was done. Retry it, raise DrainTimeout, or mark its operation [Idempotent], so that it is run again"),
            (JobState.Failed, JobReason.Arguments) => Without(job, $"its arguments were written by another version of the operation, and cannot be read: {failure.Message}"),
            (JobState.Cancelled, _) => Without(job, "it was cancelled"),
            (JobState.Expired, _) => Without(job, "it was not started in time"),
            _ => Without(job, failure.Message),
        };
    }

    private void RequireSuccess(JobRecord job)
    {
        if (FailureOf(job) is { } failure)
        {
            throw failure;
        }
    }

    private static T ItemOf<T>(StreamCall<T> call, ReadOnlyMemory<byte> item, JobRecord job)
    {
        try
        {
            return call.ReadItem(item.Span);
        }
        catch (ProtocolViolationException failure)
        {
            throw Unreadable(job, $"an item was written by another version of {call.Operation}, and is no {typeof(T)} now", failure);
        }
    }

    private static StoredResult ResultOf(JobRecord job, ReadOnlyMemory<byte> stored)
    {
        try
        {
            return StoredResult.Read(stored);
        }
        catch (FormatException failure)
        {
            throw Unreadable(job, "another version of Weir stored it", failure);
        }
    }

    private StreamCall<T> StreamOf<T>(JobRecord job) =>
        engine.Kinds.Find(job.Kind)?.Operation is { } operation && operation.CreateCall(operation) is StreamCall<T> call
            ? call
            : throw Unreadable(job, $"its operation is no stream of {typeof(T)} in this process", null);

    /// <summary>What its submitters see of a job.</summary>
    public JobInfo Describe(JobRecord job)
    {
        var status = job.Status;
        var run = status.State == JobState.Running ? engine.Runner.Find(job.Id) : null;
        return new JobInfo
        {
            Id = job.Id,
            Kind = job.Kind,
            State = status.State,
            Reason = status.Reason,
            Stopping = status.Stop,
            Attempt = status.Starts,
            Attempts = engine.Kinds.Find(job.Kind)?.Attempts ?? 0,
            Submitted = job.Submitted,
            Due = status.Due,
            Started = job.Started,
            Ended = job.Ended,
            Progress = (run?.Fence == status.Fence ? run.Progress : null) ?? job.Progress,
            Items = job.Items,
            Key = job.Key.Length == 0 ? null : job.Key,
            Priority = job.Priority,
            Expires = job.Expires,
            Parent = job.Parent,
            Error = job.Failure.IsEmpty ? null : JobFailure.Read(job.Failure).Message,
        };
    }

    private static JobAttemptInfo Describe(JobAttempt attempt)
    {
        if (attempt.Happened == JobEvent.ArgumentsEdited)
        {
            return new JobAttemptInfo { Fence = attempt.Fence, Started = attempt.Started, Ended = attempt.Ended, Outcome = "edited", Arguments = Values(attempt.Failure) };
        }

        var failure = JobFailure.Read(attempt.Failure);
        return new JobAttemptInfo
        {
            Fence = attempt.Fence,
            Started = attempt.Started,
            Ended = attempt.Ended,
            Outcome = attempt.Stop switch { JobStop.Cancel => "cancelled", JobStop.Timeout => "timeout", _ => JobLog.Word(attempt.Happened) },
            ExceptionType = failure.Type,
            Message = failure.Message.Length == 0 ? null : failure.Message,
            StackTrace = failure.Stack,
            ReportId = failure.ReportId,
            Report = failure.Report,
        };
    }

    /// <summary>Waits for an answer of the store.</summary>
    /// <exception cref="CallRejectedException">It does not answer.</exception>
    public static async ValueTask<T> AskAsync<T>(ValueTask<T> asked)
    {
        try
        {
            return await asked;
        }
        catch (JobStoreException failure)
        {
            throw StoreErrors.NoAnswer(failure);
        }
    }

    // null where another version of Weir stored them.
    private static string? Values(ReadOnlyMemory<byte> arguments)
    {
        try
        {
            return Encoding.UTF8.GetString(StoredArguments.Read(arguments).Json.Span);
        }
        catch (FormatException)
        {
            return null;
        }
    }

    /// <summary>What those who wait for a job get that did not end within its timeout.</summary>
    public static DeadlineExceededException TooLate(JobRecord job) => new($"Job {job.Id} of {job.Kind} did not end within its timeout. See {WeirCodes.DeadlineExceeded}.");

    private static string Word(JobState state) => state.ToString().ToLowerInvariant();

    internal static JobException Missing(Guid id) => new(id, null, JobReason.None, $"There is no job {id}: it was deleted, or never existed. See {WeirCodes.JobWithoutResult}.");

    internal static JobException BegunAgain(JobRecord job) => new(
        job.Id, job.Status.State, job.Status.Reason, $"Job {job.Id} was begun again by hand, and the items that were read are dropped: read the new ones from 0. See {WeirCodes.JobWithoutResult}.");

    private static JobException Without(JobRecord job, string why) => new(job.Id, job.Status.State, job.Status.Reason, $"Job {job.Id} of {job.Kind} has no result: {why}. See {WeirCodes.JobWithoutResult}.");

    internal static JobException Unreadable(JobRecord job, string why, Exception? cause) =>
        new(job.Id, job.Status.State, job.Status.Reason, $"The result of job {job.Id} of {job.Kind} cannot be read: {why}. See {WeirCodes.JobWithoutResult}.", cause);
}
