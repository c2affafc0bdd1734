using Weir.Protocol;

namespace Weir.Execution.Processes;

/// <summary>
/// One worker's life: spawn, limits, HELLO, READY or a named failure, calls, DRAIN, BYE, exit, reaped. Carries out what the
/// pool decides about it, from any thread.
/// </summary>
internal sealed class WorkerProcess
{
    // A worker whose channel has ended is on its way out; one that stays is not.
    private static readonly TimeSpan ExitPatience = TimeSpan.FromSeconds(1);

    private readonly PoolSpec _spec;
    private readonly PoolEvents _events;
    private readonly WorkerLog _log;
    private readonly WorkerOutput _output;
    private readonly TaskCompletionSource<FailedStart?> _started = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Lock _gate = new();

    // Under _gate until the process is spawned; both null before.
    private WorkerHandle? _handle;
    private bool _isKilled;

    // Set once, by the reader that found it.
    private string? _violation;

    // Set before HELLO is sent, so before anything of the worker is heard.
    private CallOutbox _data = null!;
    private Outbox _control = null!;

    // Set before the worker is ready, so before anything is dispatched to it.
    private IReadOnlyDictionary<Operation, ushort> _numbers = new Dictionary<Operation, ushort>();

    public WorkerProcess(PoolSpec spec, PoolEvents events, WorkerLog log, WorkerEntry entry)
    {
        _spec = spec;
        _events = events;
        _log = log;
        _output = new WorkerOutput(this, log);
        Entry = entry;
    }

    public WorkerEntry Entry { get; }

    /// <summary>0 before it is spawned.</summary>
    public int ProcessId => _handle?.ProcessId ?? 0;

    /// <summary>The memory it shares with the host, from READY on, where it chose to.</summary>
    public SharedPage? Page { get; private set; }

    // Not on the flow of the caller whose call wanted a worker: its context would live as long as the worker.
    public void Start() => ThreadPool.UnsafeQueueUserWorkItem(static worker => _ = worker.LiveAsync(), this, preferLocal: false);

    // ---- what the pool decides ----

    /// <summary>It gets a call. Under the pool's lock, which orders the ids; <see cref="Dispatch"/> follows.</summary>
    public void Give(PoolCall call, ulong callId) => _data.Give(call, callId);

    /// <summary>Nobody looks at the calls it was given any more. Under the pool's lock.</summary>
    public void WriteGiven() => _data.Write();

    /// <summary>Sends what it was given.</summary>
    public void Dispatch() => _data.Flush();

    public void Cancel(PoolCall call, ulong callId)
    {
        try
        {
            _data.Detach();
        }
        catch (Exception failure)
        {
            // The caller has its memory back after this, copied or not: this worker can be sent nothing more of it.
            OnViolation($"copying what was not sent to it failed: {failure}", isDeaf: false);
        }

        _control.Send((call.LeaveReason, callId), static (frames, cancel) => new CancelPayload(cancel.LeaveReason).Write(frames, cancel.callId));
    }

    public void Ping() => _control.Send(0UL, static (frames, stamp) => new PingPayload(stamp).Write(frames, FrameType.Ping));

    public void Grant(ulong callId, uint bytes) =>
        _control.Send((callId, bytes), static (frames, grant) => new CreditPayload(grant.bytes).Write(frames, grant.callId));

    public void Retire() => _control.Send(Entry.LastCallId, static (frames, last) => frames.Append(FrameType.Drain, last));

    /// <summary>Ends the process and all it started; one that is not spawned yet as soon as it is.</summary>
    public void Kill()
    {
        WorkerHandle? handle;
        lock (_gate)
        {
            _isKilled = true;
            handle = _handle;
        }

        if (handle is not null)
        {
            // It reads /proc: not on the thread that decided.
            ThreadPool.UnsafeQueueUserWorkItem(static handle => handle.Kill(), handle, preferLocal: false);
        }
    }

    // ---- what its readers hear ----

    /// <summary>Nothing of any call is read or sent any more. Before the pool gives the call to somebody else.</summary>
    public void CloseData() => _data.Close();

    /// <summary>The host does not refer to the memory of a call that was answered any more.</summary>
    public void ReleaseData(ulong answered) => _data.Release(answered);

    /// <summary>The call it runs.</summary>
    public RunningCall FindRunning() => _events.View.Running(this);

    /// <summary>The call of an id.</summary>
    public RunningCall Find(ulong callId) => new(callId, _events.View.OperationOf(this, callId));

    /// <summary>The worker says that it takes calls. The attendant's thread.</summary>
    public void OnReady(ReadyPayload ready)
    {
        var page = _handle!.Page;
        if (OperationNumbers.Match(_spec, page is null ? Capabilities.None : Capabilities.Page, ready, ProcessId, out _numbers) is { } mismatch)
        {
            _started.TrySetResult(mismatch);
            return;
        }

        Page = ready.Capabilities.HasFlag(Capabilities.Page) ? page : null;
        if (_events.Ready(this))
        {
            _started.TrySetResult(null);
        }
    }

    /// <summary>The worker says why it cannot start. The attendant's thread.</summary>
    public void OnStartFailed(StartFailure failure) => _started.TrySetResult(FailedStart.Said(failure, ProcessId));

    /// <summary>The worker broke the protocol, on either channel.</summary>
    /// <param name="message">How.</param>
    /// <param name="isDeaf">Its data channel is not read any more, so what it starts from now on is not heard.</param>
    public void OnViolation(string message, bool isDeaf)
    {
        CloseData();
        _violation ??= message;
        if (!_events.Violated(this, message, isDeaf))
        {
            _started.TrySetResult(new FailedStart(WeirCodes.WorkerStartFailed, "say ready", $"It broke the protocol: {message}.", ProcessId));
        }
    }

    // ---- its life ----

    private async Task LiveAsync()
    {
        // 1. Spawn, with limits. Whatever goes wrong has left nothing behind.
        WorkerHandle handle;
        try
        {
            handle = await _spec.Launcher.LaunchAsync(Request());
        }
        catch (Exception failure)
        {
            FailStart(FailedStart.NotSpawned(failure), isDefinite: true, output: "");
            _events.Reaped(this, failure.Message);
            return;
        }

        // 2. Live. A fault of ours must not leave the worker's place taken for ever.
        string cause;
        try
        {
            cause = await LiveAsync(handle);
        }
        catch (Exception failure)
        {
            _log.Say((this, failure), static (logger, life) => PoolLog.LifeFailed(logger, life.failure, life.Item1._spec.Name, life.Item1.ProcessId));
            CloseBoth();
            await handle.DisposeAsync();
            FailStart(new FailedStart(WeirCodes.WorkerStartFailed, "live", failure.Message, ProcessId), isDefinite: true, output: "");
            _events.ChannelEnded(this, isReaped: true);
            cause = failure.Message;
        }

        _events.Reaped(this, cause);
    }

    private async Task<string> LiveAsync(WorkerHandle handle)
    {
        // 1. Listen, then say HELLO.
        _data = new CallOutbox(handle.Data, FieldsOf, _spec.Time, failure => OnViolation($"sending to it failed: {failure}", isDeaf: false));
        _control = new Outbox(handle.Control);
        var data = new DataReader(this, handle.Data, _events, _spec.Options.PayloadLimitBytes);
        var control = new ControlReader(this, handle.Control, _events, _log);
        Hold(handle);
        control.Attend();
        data.Start($"Weir {_spec.Name} {handle.ProcessId}");
        var offered = handle.Page is null ? Capabilities.None : Capabilities.Page;
        _control.Send(_spec.Hello(_log.LeastLevel, offered), static (frames, hello) => hello.Write(frames));
        var exiting = WatchExitAsync(handle);

        // 2. READY, or a named failure.
        await StartAsync(handle);

        // 3. Calls, until it has nothing more to say; then it must go.
        await data.Ended;
        try
        {
            await exiting.WaitAsync(ExitPatience, _spec.Time);
        }
        catch (TimeoutException)
        {
            Kill();
        }

        // 4. What it had finished and could not send. 5. Bury it.
        var report = await exiting;
        data.Finish();
        var killed = _events.View.KilledBecause(this);
        var cause = CrashCause.Describe(report, handle.LastWords, killed, control.Bye);
        cause = killed == KillReason.BrokeProtocol ? $"{cause}: {_violation}" : cause;
        Tell(cause, handle.ReadOutputTail(), isExpected: killed == KillReason.NotNeeded || control.Bye?.Reason == ByeReason.Drained);
        control.Dispose();
        CloseBoth();
        await handle.DisposeAsync();
        return cause;
    }

    private CallFields FieldsOf(PoolCall call) => call.Fields(_numbers[call.Call.Operation], _spec.Time);

    // Before the channels are disposed: somebody may still want to send. Null where the life failed before it had them.
    private void CloseBoth()
    {
        _data?.Close();
        _control?.Close();
    }

    private LaunchRequest Request() => new()
    {
        FileName = _spec.Program.FileName,
        Arguments = _spec.Program.Arguments,
        Environment = _spec.Program.Environment,
        Limits = new WorkerLimits(_spec.Options.MemoryLimitBytes),
        Output = _output,
    };

    private void Hold(WorkerHandle handle)
    {
        bool isKilled;
        lock (_gate)
        {
            _handle = handle;
            isKilled = _isKilled;
        }

        if (isKilled)
        {
            handle.Kill();
        }
    }

    private async Task StartAsync(WorkerHandle handle)
    {
        var begun = _spec.Time.GetTimestamp();
        FailedStart? failure;
        try
        {
            failure = await _started.Task.WaitAsync(_spec.Options.StartTimeout, _spec.Time);
        }
        catch (TimeoutException)
        {
            failure = new FailedStart(
                WeirCodes.WorkerStartFailed, "answer HELLO", $"It said neither READY nor why not within StartTimeout ({_spec.Options.StartTimeout}) and was killed.", ProcessId);
        }

        if (failure is null)
        {
            var took = _spec.Time.GetElapsedTime(begun).TotalMilliseconds;
            _log.Say((this, took), static (logger, ready) => PoolLog.Ready(logger, ready.Item1._spec.Name, ready.Item1.ProcessId, ready.took));
        }
        else if (FailStart(failure, isDefinite: failure.Phase != FailedStart.Died, handle.ReadOutputTail()))
        {
            Kill();
        }
    }

    private bool FailStart(FailedStart failure, bool isDefinite, string output)
    {
        var failed = _events.StartFailed(this, failure, isDefinite);
        if (failed && _events.View.KilledBecause(this) == KillReason.None)
        {
            _log.Say((this, failure, output), static (logger, start) => PoolLog.StartFailed(
                logger, start.Item1._spec.Name, start.failure.ProcessId, start.failure.Phase, start.failure.Detail, Shorten(start.output)));
        }

        return failed;
    }

    private void Tell(string cause, string output, bool isExpected)
    {
        var calls = Entry.CallsDone;
        if (isExpected)
        {
            _log.Say((this, cause, calls), static (logger, end) => PoolLog.Left(logger, end.Item1._spec.Name, end.Item1.ProcessId, end.calls, end.cause));
        }
        else if (_started.Task is { IsCompletedSuccessfully: true, Result: null })
        {
            _log.Say((this, cause, calls, output), static (logger, end) => PoolLog.Lost(
                logger, end.Item1._spec.Name, end.Item1.ProcessId, end.calls, end.cause, Shorten(end.output)));
        }
    }

    // Its lines were logged one by one already; this is for who reads only the loss.
    private static string Shorten(string output) => output.Length <= 2000 ? output : $"… {output[^2000..]}";

    // The end of the process ends its channels too, also where a descendant that escaped holds them open.
    private async Task<ExitReport> WatchExitAsync(WorkerHandle handle)
    {
        var report = await handle.Exited;
        await handle.Control.FinishAsync();
        handle.Data.End();
        _started.TrySetResult(FailedStart.DiedEarly(report, handle.LastWords, handle.ProcessId));
        return report;
    }
}
