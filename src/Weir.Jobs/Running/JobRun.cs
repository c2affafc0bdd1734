using System.Diagnostics;
using System.Globalization;
using Microsoft.Extensions.DependencyInjection;
using Weir.Jobs.Diagnostics;
using Weir.Jobs.Payloads;
using Weir.Jobs.Rules;
using Weir.Jobs.Storage;
using Weir.Runtime;

namespace Weir.Jobs.Running;

/// <summary>
/// One attempt of a job in this process, from its claim until its outcome is durable. The flow of the attempt runs it; any thread may stop it.
/// </summary>
/// <param name="runner">What all attempts share.</param>
/// <param name="claimed">The job.</param>
/// <param name="kind">Its kind.</param>
internal sealed class JobRun(JobRunner runner, ClaimedJob claimed, JobKind kind) : IThreadPoolWorkItem, IDisposable
{
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _gate = new();
    private volatile bool _isSettled;
    private volatile JobRecord? _ended;

    // Written where its pool or lane hands it over, read by its flow, which also owns the next one.
    private volatile bool _wasAssigned;
    private bool _isReported;

    // Under _gate.
    private bool _hasEnded;
    private bool _isDrained;
    private bool _isTimedOut;
    private JobProgress? _progress;
    private long _stored;
    private ITimer? _flush;
    private ITimer? _timeout;
    private ITimer? _deaf;

    public JobRecord Record => claimed.Record;

    public JobKind Kind => kind;

    /// <summary>The number of this start.</summary>
    public long Fence => claimed.Record.Status.Fence;

    /// <summary>How far it is; <c>null</c> where it has reported nothing.</summary>
    public JobProgress? Progress
    {
        get
        {
            lock (_gate)
            {
                return _progress;
            }
        }
    }

    /// <summary>Whether its code, in this process, still runs a while after its token fired: it keeps its place, and nothing can end it but the process.</summary>
    public bool IgnoresToken { get; private set; }

    /// <summary>Whether the end of its job is durable. Before, those who watch the job will hear of it.</summary>
    public bool IsSettled => _isSettled;

    /// <summary>The job as it ended with this attempt; <c>null</c> where only the store knows how it ended.</summary>
    public JobRecord? Ended => _ended;

    /// <summary>What its code threw; <c>null</c> where it did not, or has not ended.</summary>
    public Exception? Thrown { get; private set; }

    /// <summary>What was written of its end; <c>null</c> before, and where the store has failed for good.</summary>
    public JobAction? Outcome { get; private set; }

    void IThreadPoolWorkItem.Execute() => _ = RunAsync();

    /// <summary>Its outcome is stored.</summary>
    public void Dispose()
    {
        _stop.Dispose();
        _timeout?.Dispose();
        _deaf?.Dispose();
        _flush?.Dispose();
    }

    /// <summary>The end of its job is durable.</summary>
    public void Settle(JobAction action, DateTimeOffset now)
    {
        var change = action.Change;
        if (change is { Verdict: JobVerdict.Applied, Status.HasEnded: true } && action.Moment.Fence == Fence && kind.Operation.ResultKind != ResultKind.Stream)
        {
            var failure = JobEffects.EndsAttempt(action.Happened, change) ? action.Payload : Record.Failure;
            _ended = Record with { Status = change.Status, Ended = now, Progress = Progress ?? Record.Progress, Failure = failure };
        }

        _isSettled = true;
    }

    /// <summary>It was cancelled: its token fires.</summary>
    public void Cancel() => Stop();

    /// <summary>The host stops: its token fires, and what it brings then is an interruption, unless it succeeds.</summary>
    public void Drain()
    {
        lock (_gate)
        {
            _isDrained = true;
        }

        Stop();
    }

    private void Stop()
    {
        lock (_gate)
        {
            if (_hasEnded)
            {
                return;
            }

            // A worker is killed after its grace.
            if (kind.Operation.Placement != Placement.Isolated)
            {
                _deaf ??= runner.Time.CreateTimer(static run => ((JobRun)run!).NoticeDeaf(), this, JobRunner.TokenPatience, System.Threading.Timeout.InfiniteTimeSpan);
            }
        }

        try
        {
            // User code may have registered callbacks: they run on the thread pool.
            _ = _stop.CancelAsync();
        }
        catch (ObjectDisposedException)
        {
            // It has ended since.
        }
    }

    private void NoticeDeaf()
    {
        lock (_gate)
        {
            if (_hasEnded)
            {
                return;
            }

            IgnoresToken = true;
        }

        runner.Log.IgnoresToken(Record.Id, kind.Name, JobRunner.TokenPatience.TotalSeconds);
    }

    // It has left the queue of its pool or lane, and from here on its time counts. Called again where another worker gets it.
    private void Assign()
    {
        lock (_gate)
        {
            _wasAssigned = true;
            if (kind.Timeout is { } timeout && !_hasEnded)
            {
                _timeout ??= runner.Time.CreateTimer(static run => ((JobRun)run!).TimeOut(), this, timeout, System.Threading.Timeout.InfiniteTimeSpan);
            }
        }
    }

    private void TimeOut()
    {
        lock (_gate)
        {
            if (_hasEnded || _isTimedOut)
            {
                return;
            }

            _isTimedOut = true;

            // Before its outcome, in the order of the commits: behind it, it would be of the next attempt.
            _ = runner.Scheduler.ActAsync(ActionOf(JobEvent.TimedOut, default));
        }

        Stop();
    }

    private async Task RunAsync()
    {
        try
        {
            await AttemptAsync();
        }
        catch (Exception failure) when (!_isReported)
        {
            // Of what surrounds the attempt, a listener of spans for example: its place is given back, and it has an outcome.
            Thrown = failure;
            EndOfCode(out _);
            await ReportAsync(ActionOf(JobEvent.Threw, new JobFailure { Type = failure.GetType().FullName, Message = "What surrounds the attempt failed." }.Write()));
        }
    }

    private async Task AttemptAsync()
    {
        CurrentJob.Enter(Record.Id, kind.Name);
        using var activity = JobSpans.Process(kind.Name, Record);
        using var scope = runner.Log.Scope(Record, kind.Name);
        runner.Meter.Started(kind.Name, Record, runner.Time.GetUtcNow());
        var began = runner.Time.GetTimestamp();
        JobEvent happened;
        byte[] payload;
        TimeSpan? after = null;
        var items = Record.Items;
        var pump = kind.Operation.ResultKind == ResultKind.Stream ? new JobItemPump(runner.Scheduler, Record, Stop) : null;
        try
        {
            try
            {
                payload = await InvokeAsync(pump);
                happened = JobEvent.Succeeded;
            }
            finally
            {
                items += pump is null ? 0 : await pump.CompleteAsync();
            }
        }
        catch (Exception thrown)
        {
            Thrown = thrown;
            (happened, after) = Classify(thrown);
            var failure = await DescribeAsync(thrown);
            payload = failure.Write();
            activity?.SetStatus(ActivityStatusCode.Error, failure.Message);
            if (happened is not (JobEvent.NotStarted or JobEvent.AskedForRetry))
            {
                runner.Log.AttemptFailed(kind.Name, Record, happened, thrown);
            }
        }

        if (pump is { IsRefused: true })
        {
            // It was presumed lost. What it brings would be without items that it has made: the next attempt makes them again.
            happened = JobEvent.Drained;
            payload = new JobFailure { Message = "Items of the attempt were refused, because it was presumed lost." }.Write();
        }

        EndOfCode(out var flush);
        if (flush is { } progress)
        {
            runner.Scheduler.Report(progress);
        }

        if (happened == JobEvent.NotUnderstood)
        {
            kind.Hold(runner.Time);
        }

        kind.Rejections = happened == JobEvent.NotStarted ? Math.Min(kind.Rejections + 1, 16) : 0;
        runner.Meter.Ran(kind.Name, runner.Time.GetElapsedTime(began));
        await ReportAsync(ActionOf(happened, payload, after, kind.TraitsWith(items)));
    }

    private async Task ReportAsync(JobAction outcome)
    {
        _isReported = true;
        try
        {
            Outcome = await runner.Scheduler.EndAsync(kind, outcome);
        }
        catch (JobStoreException failure)
        {
            // The next start of the process finds the attempt, and presumes it lost.
            runner.Log.OutcomeNotStored(kind.Name, Record, failure);

            // Those who wait for it ask the store then, which says why.
            runner.Watch.Ended(Record.Id);
        }
        finally
        {
            runner.Ended(this);
            Dispose();
        }
    }

    private void EndOfCode(out NewProgress? flush)
    {
        lock (_gate)
        {
            _hasEnded = true;
            _timeout?.Dispose();
            _deaf?.Dispose();
            flush = _flush is not null && _progress is { } progress ? new NewProgress(Record.Id, Fence, progress) : null;
            _flush?.Dispose();
            _flush = null;
        }
    }

    // One scope for the attempt: made before the filters, disposed when what it brings is known.
    private async Task<byte[]> InvokeAsync(JobItemPump? pump)
    {
        if (_stop.IsCancellationRequested)
        {
            throw new NotBegunException();
        }

        SetCulture(Record.Culture);
        var call = Bind();
        if (!kind.RunsInWorker && kind.Operation.Placement != Placement.Lane)
        {
            Assign();
        }

        // A raw null and raw empty bytes look the same, so a result that may be null is stored as JSON.
        var encoding = kind.Operation is { ResultKind: ResultKind.Bytes, IsResultNullable: false } ? ResultEncoding.Raw : ResultEncoding.Json;
        var scope = runner.Scopes.CreateAsyncScope();
        try
        {
            return await InvokeAsync(call, encoding, pump, scope.ServiceProvider);
        }
        finally
        {
            try
            {
                await scope.DisposeAsync();
            }
            catch (Exception failure)
            {
                // What the operation brought stays what it was.
                runner.Log.ScopeFailed(kind.Name, Record, failure);
            }
        }
    }

    private async Task<byte[]> InvokeAsync(Call call, ResultEncoding encoding, JobItemPump? pump, IServiceProvider services)
    {
        var request = new CallRequest
        {
            Services = services,
            CancellationToken = _stop.Token,
            // Jobs in the host are limited by their own number: what waits for a thread of the lane waits for other calls.
            // A job that a test runs is not to come back because all places of the pool were taken.
            Admission = kind.Operation.Placement == Placement.Isolated && runner.Driver is null ? CallAdmission.Free : CallAdmission.Wait,
            Retries = 0,
            EndsWithItsCode = true,
            OnAssigned = Assign,
            ResultEncoding = encoding,
            Job = new JobContext(Record.Id, Record.Status.Starts, Fence, Report)
            {
                ScheduledFor = Record.ScheduledFor,
                Key = Record.Key.Length == 0 ? null : Record.Key,
                // Of an anonymous caller over HTTP it is empty.
                Submitter = Record.Owner is { Length: > 0 } owner ? owner : null,
            },
        };
        if (pump is not null)
        {
            await runner.Pipeline.RunStreamAsync((StreamCall)call, pump, request);
            return ResultOf(call, null);
        }

        await runner.Pipeline.RunAsync(call, request);
        return ResultOf(call, call.HasResult ? encoding : null);
    }

    private Call Bind()
    {
        if (claimed.IsDamaged)
        {
            throw new NotUnderstoodException(new FormatException("What is stored of the arguments is not what was written: the file is damaged."), isOfOtherVersion: false);
        }

        var reader = Read();
        var call = kind.Operation.CreateCall(kind.Operation);
        call.Bind(reader);
        if (reader.Errors.Count > 0)
        {
            throw new NotUnderstoodException(new BindingException(reader.Errors.ToArray()), Record.Signature != kind.Operation.Signature);
        }

        kind.Continue(call, Record.Items);
        return call;
    }

    private StoredArgumentReader Read()
    {
        try
        {
            return new StoredArgumentReader(kind.Operation, claimed.Arguments);
        }
        catch (FormatException failure)
        {
            throw new NotUnderstoodException(failure, isOfOtherVersion: true);
        }
    }

    private static byte[] ResultOf(Call call, ResultEncoding? encoding)
    {
        var context = call.Context;
        using var output = new PayloadWriter();
        if (encoding is { } written)
        {
            call.WriteResult(output, written);
            if (output.Length > JobRunner.MostResult)
            {
                throw new PayloadTooLargeException(
                    CallStatus.HandlerFailed, $"The result of {call.Operation} takes {output.Length} bytes; a job's result may have {JobRunner.MostResult}. Return it as items (IAsyncEnumerable<T>), or store it elsewhere and return where. See {WeirCodes.PayloadTooLarge}.");
            }
        }

        return new StoredResult(encoding, context?.StatusCode, context is { HasHeaders: true } ? [.. context.Headers] : [], output.WrittenMemory).Write();
    }

    private JobAction ActionOf(JobEvent happened, byte[]? payload, TimeSpan? after = null, JobTraits? traits = null)
    {
        var now = runner.Time.GetUtcNow();
        return new JobAction
        {
            Id = Record.Id,
            Happened = happened,
            KindName = kind.Name,
            Kind = traits ?? kind.Traits,
            Moment = new JobMoment(now, runner.Random.NextDouble()) { Fence = Fence, Due = now + after },
            Payload = payload,
        };
    }

    // What an exception of the attempt is for the rules, and when the job may start again where that is not for them to say.
    private (JobEvent Happened, TimeSpan? After) Classify(Exception thrown)
    {
        bool isDrained;
        lock (_gate)
        {
            isDrained = _isDrained && _stop.IsCancellationRequested;
        }

        return thrown switch
        {
            NotUnderstoodException { IsOfOtherVersion: true } => (JobEvent.NotUnderstood, null),
            NotUnderstoodException => (JobEvent.Answered, null),
            NotBegunException => (JobEvent.NotStarted, null),
            JobRetryException retry => (JobEvent.AskedForRetry, retry.After),
            _ when kind.RunsInWorker && OfWorker(thrown, isDrained) is { } decided => decided,
            OperationCanceledException when kind.Operation.Placement == Placement.Lane && _stop.IsCancellationRequested && !_wasAssigned => (JobEvent.NotStarted, null),
            _ when isDrained => (JobEvent.Drained, null),
            BindingException or PayloadTooLargeException or OperationStatusException { StatusCode: < 500 } => (JobEvent.Answered, null),
            _ when kind.Operation.Throws.Any(declared => declared.TypeName == thrown.GetType().FullName) => (JobEvent.Answered, null),
            _ => (JobEvent.Threw, null),
        };
    }

    // What the pool says of this call. Code in the host may call a pool itself, a filter of an isolated operation too, and what it gets from there is an exception of its own: that nothing ran is believed
    // only of a call that no worker has got.
    private (JobEvent Happened, TimeSpan? After)? OfWorker(Exception thrown, bool isDrained) => thrown switch
    {
        RemoteException remote when remote.TypeName == typeof(JobRetryException).FullName && JobRetryException.TryReadAfter(remote.Message, out var after) => (JobEvent.AskedForRetry, after),
        WorkerLostException { QuarantinedFor: { } quarantine } when !_wasAssigned => (JobEvent.Quarantined, quarantine),
        WorkerLostException { MayHaveRun: false } when !_wasAssigned => (JobEvent.NotStarted, NextTry()),
        CallRejectedException rejected when !_wasAssigned => (JobEvent.NotStarted, rejected.Code == WeirCodes.QueueFull ? NextTry() : rejected.RetryAfter ?? NextTry()),
        OperationCanceledException when !_wasAssigned => (JobEvent.NotStarted, NextTry()),
        WorkerLostException or ProtocolViolationException when _wasAssigned => isDrained ? (JobEvent.Drained, null) : (JobEvent.Crashed, null),
        _ => null,
    };

    // 50 ms, twice as long each time, at most 5 s: direct calls have the places that a pool lends to jobs.
    private TimeSpan NextTry() => TimeSpan.FromMilliseconds(Math.Min(50 << Math.Min(kind.Rejections, 7), 5_000));

    private async ValueTask<JobFailure> DescribeAsync(Exception thrown)
    {
        var failure = JobFailures.Of(thrown is NotUnderstoodException { InnerException: { } cause } ? cause : thrown);
        return failure.ReportId is { } report ? failure with { Report = await runner.Reports.FindAsync(report) } : failure;
    }

    private void Report(JobProgress progress)
    {
        NewProgress? stored = null;
        lock (_gate)
        {
            if (_hasEnded)
            {
                return;
            }

            _progress = progress;
            var now = runner.Time.GetTimestamp();
            if (_stored == 0 || runner.Time.GetElapsedTime(_stored, now) >= JobRunner.ProgressInterval)
            {
                _stored = now;
                stored = new NewProgress(Record.Id, Fence, progress);
            }
            else
            {
                _flush ??= runner.Time.CreateTimer(static run => ((JobRun)run!).Flush(), this, JobRunner.ProgressInterval, System.Threading.Timeout.InfiniteTimeSpan);
            }
        }

        if (stored is { } value)
        {
            runner.Scheduler.Report(value);
        }
    }

    private void Flush()
    {
        NewProgress stored;
        lock (_gate)
        {
            if (_hasEnded || _progress is not { } progress)
            {
                return;
            }

            _flush?.Dispose();
            _flush = null;
            _stored = runner.Time.GetTimestamp();
            stored = new NewProgress(Record.Id, Fence, progress);
        }

        runner.Scheduler.Report(stored);
    }

    private static void SetCulture(string? name)
    {
        try
        {
            var culture = CultureInfo.GetCultureInfo(name ?? "");
            CultureInfo.CurrentCulture = culture;
            CultureInfo.CurrentUICulture = culture;
        }
        catch (CultureNotFoundException)
        {
            // A culture of another machine. The invariant one is what a process without cultures has.
            CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        }
    }
}
