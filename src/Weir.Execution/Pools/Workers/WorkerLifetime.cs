using Weir.Execution.Pools.Calls;
using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Scheduling;
using Weir.Execution.Pools.Transport;
using Weir.Execution.Processes;
using Weir.Execution.Threading;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;

namespace Weir.Execution.Pools.Workers;

/// <summary>
/// One worker's life: spawn, limits, HELLO, READY or a named failure, calls, DRAIN, BYE, exit, reaped. Carries out what the
/// pool decides about it, from any thread.
/// </summary>
internal sealed class WorkerLifetime : IPoolWorker
{
    // A worker whose channel has ended should be exiting; after this time it is killed.
    private static readonly TimeSpan ExitPatience = TimeSpan.FromSeconds(1);

    private readonly PoolDefinition _definition;
    private readonly PoolCore _events;
    private readonly WorkerLog _log;
    private readonly WorkerOutput _output;
    private readonly Lock _gate = new();
    private readonly WorkerReporter _report;
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly WorkerStart _start;

    // Under _gate until the process is spawned; both null before.
    private WorkerHandle? _handle;
    private bool _isKilled;

    // Set once, by the reader that found it.
    private string? _violation;

    // Set before HELLO is sent, so before anything is received from the worker.
    private DataSendQueue _data = null!;
    private DataReceiver _reader = null!;
    private ControlSendQueue _control = null!;

    // Set before the worker is ready, so before anything is dispatched to it.
    private Dictionary<Operation, int> _numbers = [];
    private bool _takesContext;

    public WorkerLifetime(PoolDefinition definition, PoolCore events, WorkerLog log, WorkerEntry entry)
    {
        _definition = definition;
        _events = events;
        _log = log;
        _output = new WorkerOutput(this, log);
        Entry = entry;
        BornAt = definition.Time.GetTimestamp();
        _report = new WorkerReporter(definition, this, log, events.Tally);
        _start = new WorkerStart(definition, events, this, _report);
        Memory = definition.Options.MemorySoftLimitBytes is null ? null : new MemoryWatch(definition.Time, CheckMemory);
    }

    public WorkerEntry Entry { get; }

    public CallHistory History { get; } = new();

    public MemoryWatch? Memory { get; }

    /// <summary>When it was requested, by the clock of the pool.</summary>
    public long BornAt { get; }

    public string ReportId => $"{_definition.Name}-{ProcessId}-{Entry.Serial}";

    public int ProcessId => _handle?.ProcessId ?? 0;

    public AppliedLimits? Limits => _handle?.Limits;

    public long? ReadPrivateMemory() => _handle?.ReadPrivateMemory();

    public SharedMemoryRegion? SharedMemory { get; private set; }

    public bool MissedWake => _handle!.Data.MissedWake;

    public bool SendsHeads { get; private set; }

    public bool WasEndedFromOutside { get; private set; }

    public Task Ended => _ended.Task;

    // Not on the flow of the caller whose call needed a worker: its execution context would live as long as the worker.
    public void Start() => Callbacks.Queue(this, static worker => _ = worker.RunAsync(), static (worker, failure) => worker._events.ReportFailure(failure, "starting a worker"));

    // ---- what the pool decides ----

    public void Assign(PoolCall call, ulong callId) => _data.Assign(call, callId);

    public void WriteAssigned() => _data.Write();

    public bool Borrows(ulong first) => _data.Borrows(first);

    public void ReturnWithdrawn(PoolActions actions)
    {
        if (Entry.Withdrawn is var (first, last) && first <= last)
        {
            CopyUnsent(null);
            _events.Returned(this, actions);
        }
    }

    public void Dispatch()
    {
        if (Entry.Sent.Count > 1 && Thread.CurrentThread.IsThreadPoolThread)
        {
            _data.FlushSoon();
        }
        else
        {
            _data.Flush();
        }
    }

    public void Cancel(PoolCall call, ulong callId)
    {
        ReleaseData(callId);
        _control.Send((call.CancelReason, callId), static (frames, cancel) => new CancelPayload(cancel.CancelReason).Write(frames, cancel.callId));
    }

    public void SendData<TState>(TState state, Action<FrameWriter, TState> write) => _data.Send(state, write);

    public void Ping()
    {
        _control.Send(0UL, static (frames, stamp) => new PingPayload(stamp).Write(frames, FrameType.Ping));
        _handle!.Data.WakeInAnyCase();
    }

    public void Grant(ulong callId, uint bytes) =>
        _control.Send((callId, bytes), static (frames, grant) => new CreditPayload(grant.bytes).Write(frames, grant.callId));

    public void Retire() => _control.Send(Entry.LastCallId, static (frames, last) => frames.Append(FrameType.Drain, last));

    public void Kill()
    {
        WorkerHandle? handle;
        lock (_gate)
        {
            _isKilled = true;
            handle = _handle;
        }

        if (handle is null)
        {
            _start.Abandon();
        }
        else
        {
            // Killing reads /proc: not on the thread that decided, and not on the thread pool, which may be what is stalled.
            HostThread.Kills.Post(handle.Kill, failure => _events.ReportFailure(failure, "ending a worker"));
        }
    }

    // ---- what its readers report ----

    public void CloseData() => _data.Close();

    public void ReleaseData(ReadOnlySpan<Answer> answers)
    {
        foreach (var answer in answers)
        {
            ReleaseData(answer.CallId);
        }
    }

    public RunningCall FindRunning() => _events.View.Running(this);

    public RunningCall Find(ulong callId) => new(callId, _events.View.OperationOf(this, callId));

    public void OnReady(ReadyPayload ready)
    {
        var region = _handle!.SharedMemory;
        if (OperationNumbers.Match(_definition, _definition.Offer(region is not null), ready, ProcessId, out _numbers) is { } mismatch)
        {
            _start.Fail(mismatch);
            return;
        }

        SendsHeads = ready.Capabilities.HasFlag(Capabilities.ResponseHeads);
        _takesContext = ready.Capabilities.HasFlag(Capabilities.CallContext);
        if (ready.Capabilities.HasFlag(Capabilities.SharedMemory))
        {
            SharedMemory = region!;
            _handle.Data.Share(SharedMemory, () => _control.SendOnce(FrameType.Space), violation => OnViolation(violation, isUnreadable: false));
        }

        if (_events.Ready(this))
        {
            _start.Succeed();
        }
    }

    public void OnStartFailed(StartFailure failure) => _start.Fail(FailedStart.Reported(failure, ProcessId));

    public void OnViolation(string message, bool isUnreadable)
    {
        CloseData();
        _violation ??= message;
        if (!_events.Violated(this, message, isUnreadable))
        {
            _start.Fail(new FailedStart(WeirCodes.WorkerStartFailed, "send READY", $"It broke the protocol: {message}.", ProcessId));
        }
    }

    // Called for every call that completes: nothing is allocated.
    private void ReleaseData(ulong callId)
    {
        if (_data.MayRefer(callId))
        {
            CopyUnsent(callId);
        }
    }

    // Of one call, or of all. After this the caller owns its memory again, copied or not: if copying fails, nothing more can be sent to this worker.
    private void CopyUnsent(ulong? callId)
    {
        try
        {
            if (callId is { } id)
            {
                _data.Release(id);
            }
            else
            {
                _data.Detach();
            }
        }
        catch (Exception failure)
        {
            OnViolation($"copying the unsent calls failed: {failure}", isUnreadable: false);
        }
    }

    // ---- its life ----

    private async Task RunAsync()
    {
        try
        {
            await LiveAsync();
        }
        catch (Exception failure)
        {
            _report.FailedInHost(failure);
        }
        finally
        {
            _ended.SetResult();
        }
    }

    private async Task LiveAsync()
    {
        // 1. Wait for its turn. A worker that is not needed any more by then is not spawned.
        if (!await _start.TakeTurnAsync())
        {
            const string Cause = "not needed any more before its start began";
            _start.GiveUp(new FailedStart(WeirCodes.WorkerStartFailed, "wait for its turn", Cause, 0), isDefinite: false, output: "");
            _report.Ended(Cause, crash: null, wasReady: false);
            _events.Reaped(this, Cause);
            return;
        }

        // 2. Spawn, with limits. A failure leaves nothing behind.
        WorkerHandle handle;
        try
        {
            _definition.Program.Require();
            handle = await _definition.Launcher.LaunchAsync(Request());
        }
        catch (Exception failure)
        {
            var start = FailedStart.NotSpawned(failure);
            var report = CrashReports.OfStart(_definition, this, start, ExitReport.Unknown, "");
            _start.GiveUp(start, isDefinite: true, output: "");
            _report.Ended(failure.Message, report, wasReady: false);
            _events.Reaped(this, failure.Message);
            _report.HandOver(report);
            return;
        }

        // 3. Live. An error in Weir must not keep the worker's place occupied permanently.
        string cause;
        CrashReport? crash = null;
        try
        {
            (cause, crash) = await LiveAsync(handle);
        }
        catch (Exception failure)
        {
            _report.FailedInHost(failure);
            CloseBoth();
            await handle.DisposeAsync();
            _start.GiveUp(new FailedStart(WeirCodes.WorkerStartFailed, "live", failure.Message, ProcessId), isDefinite: true, output: "");
            _events.ChannelEnded(this, isReaped: true);
            cause = failure.Message;
        }

        _events.Reaped(this, cause);
        _report.HandOver(crash);
    }

    private async Task<(string Cause, CrashReport? Crash)> LiveAsync(WorkerHandle handle)
    {
        // 1. Listen, then send HELLO.
        _data = new DataSendQueue(handle.Data, FieldsOf, _definition.Time, failure => OnViolation($"sending to it failed: {failure}", isUnreadable: false));
        _control = new ControlSendQueue(handle.Control);
        var control = new ControlReceiver(this, handle.Control, _events, _log);
        _reader = new DataReceiver(this, handle, _events, _definition);
        Hold(handle);
        if (_events.View.Spawned(handle.Limits))
        {
            _report.Lacks(handle.Limits);
        }

        control.Attend();
        _reader.Start($"Weir {_definition.Name} {handle.ProcessId}");
        SendHello(handle);
        var exiting = WatchExitAsync(handle);

        // 2. READY, or a named failure.
        await _start.RunAsync(handle);

        // 3. Calls, until its data channel ends; then it must exit.
        await _reader.Ended;
        try
        {
            await exiting.WaitAsync(ExitPatience, _definition.Time);
        }
        catch (TimeoutException)
        {
            Kill();
        }

        // 4. Take what it had finished and could not send. 5. Report its end and dispose it.
        var exit = await exiting;
        WasEndedFromOutside = !handle.IsExplained(exit);
        _reader.Finish();
        var killed = _events.View.KilledBecause(this);
        var cause = CrashCause.Describe(exit, handle.FatalErrorLine, killed, control.Bye);
        cause = killed == KillReason.BrokeProtocol ? $"{cause}: {_violation}" : cause;
        var isExpected = killed is KillReason.NotNeeded or KillReason.Stopping || (killed == KillReason.None && control.Bye?.Reason == ByeReason.Drained);
        var output = handle.ReadOutputTail();
        var crash = isExpected ? null
            : _start.Failure is { } start ? CrashReports.OfStart(_definition, this, start, exit, output)
            : CrashReports.OfLife(_definition, this, cause, killed, exit, output);
        _report.Ended(cause, crash, wasReady: _start.Failure is null);
        control.Dispose();
        CloseBoth();
        await handle.DisposeAsync();
        return (cause, crash);
    }

    // While the process boots, which takes longer than reading the host's configuration. Without HELLO the worker does nothing, and is killed.
    private void SendHello(WorkerHandle handle)
    {
        try
        {
            _control.Send(_definition.Hello(_log.LeastLevel, _definition.Offer(handle.SharedMemory is not null)), static (frames, hello) => hello.Write(frames));
        }
        catch (Exception failure)
        {
            _start.Fail(FailedStart.WithoutHello(failure, ProcessId));
        }
    }

    private CallFields FieldsOf(PoolCall call) => call.Fields((ushort)_numbers[call.Call.Operation], _definition.Time, _takesContext);

    // Before the channels are disposed: another thread may still send. Null if the worker failed before they were created.
    private void CloseBoth()
    {
        Memory?.Dispose();
        _data?.Close();
        _control?.Close();
    }

    private LaunchRequest Request() => new()
    {
        FileName = _definition.Program.FileName,
        Arguments = _definition.Program.Arguments,
        Environment = _definition.Program.Environment,
        WorkingDirectory = _definition.Options.WorkingDirectory,
        Limits = _definition.Limits,
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

    private void CheckMemory()
    {
        if (ReadPrivateMemory() is { } bytes)
        {
            _events.Measured(this, bytes);
        }
    }

    // The end of the process ends its channels too, even if an escaped descendant holds them open.
    private async Task<ExitReport> WatchExitAsync(WorkerHandle handle)
    {
        var report = await handle.Exited;
        await handle.Control.FinishAsync();
        handle.Data.End();
        _start.Fail(FailedStart.FailedEarly(report, handle.FatalErrorLine, handle.ProcessId));
        return report;
    }
}
