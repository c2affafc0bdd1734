using Weir.Execution.Pools.Calls;
using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Scheduling;
using Weir.Execution.Pools.Transport;
using Weir.Execution.Processes;
using Weir.Execution.Threading;
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
    private readonly PoolCore _core;
    private readonly PoolReports _reports;
    private readonly PoolDiagnostics _view;
    private readonly WorkerOutput _output;
    private readonly Lock _gate = new();
    private readonly WorkerReporter _report;
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly WorkerStart _start;
    private readonly MemoryWatch? _memory;

    // Under _gate until the process is spawned; both null before.
    private WorkerHandle? _handle;
    private bool _isKilled;

    // What it did when it hung; null unless it is killed for that.
    private HangRecord? _hang;

    // Set before HELLO is sent, so before anything is received from the worker, and before it is ready and the pool assigns calls to it.
    private WorkerConnection _connection = null!;

    public WorkerLifetime(PoolDefinition definition, PoolCore core, PoolReports reports, PoolDiagnostics view, WorkerEntry entry)
    {
        _definition = definition;
        _core = core;
        _reports = reports;
        _view = view;
        _output = new WorkerOutput(this, core, reports.Log, definition.Time);
        Entry = entry;
        BornAt = definition.Time.GetTimestamp();
        _report = new WorkerReporter(definition, this, reports);
        _start = new WorkerStart(definition, core, this, _report, _output);
        _memory = definition.Options.MemorySoftLimitBytes is null ? null : new MemoryWatch(definition.Time, CheckMemory);
    }

    public WorkerEntry Entry { get; }

    /// <summary>Its last calls. Under the pool's lock until the worker is reaped.</summary>
    public CallHistory History { get; } = new();

    /// <summary>When it was requested, by the clock of the pool.</summary>
    public long BornAt { get; }

    public string ReportId => $"{_definition.Name}-{ProcessId}-{Entry.Serial}";

    public int ProcessId => _handle?.ProcessId ?? 0;

    /// <summary>What was applied to it; <c>null</c> before it is spawned.</summary>
    public AppliedLimits? Limits => _handle?.Limits;

    public IWorkerProgress? Progress => _connection is { SharedMemory: not null } connection ? connection : null;

    public bool WasEndedFromOutside { get; private set; }

    /// <summary>Completes when its process is gone and everything that follows from that is done, the owner's callback too. Never fails.</summary>
    public Task Ended => _ended.Task;

    public long? ReadPrivateMemory() => _handle?.ReadPrivateMemory();

    public (long Bytes, long LimitBytes)? ReadMemoryOfLimit()
    {
        if (_handle is not { Limits: { } limits } handle || (limits.MemoryBytes ?? limits.GroupMemoryBytes) is null || handle.ReadMemoryUse() is not { } use)
        {
            return null;
        }

        // The control group counts what the worker has started, too, which is not read here.
        var own = (Bytes: use.Data, LimitBytes: limits.MemoryBytes ?? long.MaxValue);
        var group = (Bytes: use.Private, LimitBytes: limits.GroupMemoryBytes ?? long.MaxValue);
        return (double)group.Bytes / group.LimitBytes > (double)own.Bytes / own.LimitBytes ? group : own;
    }

    // Not on the flow of the caller whose call needed a worker: its execution context would live as long as the worker.
    public void Start() => Callbacks.Queue(this, static worker => _ = worker.RunAsync(), static (worker, failure) => worker._reports.CallbackFailed(failure, "starting a worker"));

    // ---- what the pool decides ----

    public void Assign(CallEntry call, ulong callId) => _connection.Assign((PoolCall)call, callId);

    public void WriteAssigned() => _connection.WriteAssigned();

    public bool Borrows(ulong first) => _connection.Borrows(first);

    public void ReturnWithdrawn(PoolActions actions)
    {
        if (Entry.Withdrawn is var (first, last) && first <= last)
        {
            _connection.ReleaseUnsent();
            _core.Returned(this, actions);
        }
    }

    public void Dispatch() => _connection.Dispatch(atOnce: Entry.Sent.Count <= 1 || !Thread.CurrentThread.IsThreadPoolThread);

    public void Cancel(CallEntry call, ulong callId) => _connection.Cancel(call.CancelReason, callId);

    public void Ping() => _connection.Ping();

    public void Grant(ulong callId, uint bytes) => _connection.Grant(callId, bytes);

    public void Retire() => _connection.Drain(Entry.LastCallId);

    public void OnActionFailed(Exception failure) => _connection.OnActionFailed(failure);

    public void RecordAnswers(ReadOnlySpan<Answer> answers) => History.Answered(Entry, answers, _core.Clock);

    public void RecordEnd(ulong startedThrough) => History.Ended(Entry, startedThrough, _core.Clock);

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
        else if (!TryLook(handle))
        {
            // Killing reads /proc: not on the thread that decided, and not on the thread pool, which may be what is stalled.
            HostThread.Kills.Post(handle.Kill, failure => _reports.CallbackFailed(failure, "ending a worker"));
        }
    }

    // Once: whatever kills it after that kills it at once.
    private bool TryLook(WorkerHandle handle)
    {
        if (_core.KilledBecause(this) is not (KillReason.IgnoredCancel or KillReason.Stalled) || _hang is not null)
        {
            return false;
        }

        var hang = new HangRecord(_definition, _core, this, _reports);
        return Interlocked.CompareExchange(ref _hang, hang, null) is null && hang.TryBegin(handle, _connection);
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
            _start.ReleaseSharedData();
            _ended.SetResult();
        }
    }

    private async Task LiveAsync()
    {
        // 1. Wait for its turn. A worker that is not needed any more by then is not spawned.
        // 2. Spawn, with limits. A failure leaves nothing behind.
        WorkerHandle? handle = null;
        try
        {
            if (await _start.TakeTurnAsync())
            {
                _definition.Program.Require();
                handle = await _definition.Launcher.LaunchAsync(Request());
            }
        }
        catch (Exception failure)
        {
            var start = FailedStart.NotSpawned(failure);
            var report = CrashReports.OfStart(_definition, this, start, ExitReport.Unknown, "");
            _start.GiveUp(start, isDefinite: true, output: "");
            _report.Ended(failure.Message, report, wasReady: false);
            _core.Reaped(this, failure.Message);
            _report.HandOver(report);
            return;
        }

        if (handle is null)
        {
            const string Cause = "not needed any more before its start began";
            _start.GiveUp(new FailedStart(WeirCodes.WorkerStartFailed, "wait for its turn", Cause, 0), isDefinite: false, output: "");
            _report.Ended(Cause, crash: null, wasReady: false);
            _core.Reaped(this, Cause);
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
            _output.End();
            _report.FailedInHost(failure);
            CloseConnection();
            await handle.DisposeAsync();
            _start.GiveUp(new FailedStart(WeirCodes.WorkerStartFailed, "live", failure.Message, ProcessId), isDefinite: true, output: "");
            _core.ChannelEnded(this, isReaped: true);
            cause = failure.Message;
        }

        _core.Reaped(this, cause);
        _report.HandOver(crash);
    }

    private async Task<(string Cause, CrashReport? Crash)> LiveAsync(WorkerHandle handle)
    {
        // 1. Listen, then send HELLO.
        _connection = new WorkerConnection(_definition, _core, this, handle, History, _memory, _reports, _start.End);
        Hold(handle);
        _report.IsSpawned();
        if (_view.Spawned(Entry, handle.Limits))
        {
            _report.Lacks(handle.Limits);
        }

        _connection.Open();
        var exiting = WatchExitAsync(handle);

        // 2. READY, or a named failure.
        await _start.RunAsync(handle);

        // 3. Calls, until its data channel ends; then it must exit.
        await _connection.DataEnded;
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
        _connection.Finish();
        var killed = _core.KilledBecause(this);
        var cause = CrashCause.Describe(exit, handle.FatalErrorLine, killed, _connection.Bye);
        cause = killed == KillReason.BrokeProtocol ? $"{cause}: {_connection.Violation}" : cause;
        var isExpected = killed is KillReason.NotNeeded or KillReason.Stopping || (killed == KillReason.None && _connection.Bye?.Reason == ByeReason.Drained);
        var output = handle.ReadOutputTail();
        var crash = isExpected ? null
            : _start.Failure is { } start ? CrashReports.OfStart(_definition, this, start, exit, output)
            : CrashReports.OfLife(_definition, this, Entry.KilledBy is { } user ? $"{cause} of {user}" : cause, killed, exit, output) with { Stack = _hang?.Stack, DumpPath = _hang?.DumpPath };
        if (crash is not null && _start.Failure is null)
        {
            _output.Drop();
        }

        _output.End();
        _report.Ended(cause, crash, wasReady: _start.Failure is null, killed);
        _connection.ReleaseControl();
        CloseConnection();
        await handle.DisposeAsync();
        return (cause, crash);
    }

    // Before the channels are disposed: another thread may still send. Null if the worker failed before they were connected.
    private void CloseConnection()
    {
        _memory?.Dispose();
        _connection?.Close();
    }

    private LaunchRequest Request() => new()
    {
        FileName = _definition.Program.FileName,
        Arguments = _definition.Program.Arguments,
        Environment = _definition.Program.Environment,
        WorkingDirectory = _definition.Options.WorkingDirectory,
        Limits = _definition.Limits,
        SharedData = _definition.SharedData is { } data ? [.. data.Blocks.Select(static block => block.File)] : [],
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
            _core.Measured(this, bytes);
        }
    }

    // The end of the process ends its channels too, even if an escaped descendant holds them open.
    private async Task<ExitReport> WatchExitAsync(WorkerHandle handle)
    {
        var report = await handle.Exited;
        await handle.Control.FinishAsync();
        handle.Data.End();
        _start.End(FailedStart.FailedEarly(report, handle.FatalErrorLine, handle.ProcessId));
        return report;
    }
}
