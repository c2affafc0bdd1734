using System.Diagnostics.CodeAnalysis;
using System.Text;
using Weir.Execution.Pools.Calls;
using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Scheduling;
using Weir.Execution.Processes;
using Weir.Protocol.Frames;
using Weir.Protocol.Payloads;

namespace Weir.Execution.Pools.Transport;

/// <summary>
/// The two channels of one worker, from its spawn until it is reaped: sends what the pool decided, and reports to the pool what the worker
/// sends. Any thread.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "Close is its end.")]
internal sealed class WorkerConnection : IFrameSender, IWorkerProgress
{
    private readonly PoolDefinition _definition;
    private readonly PoolCore _core;
    private readonly WorkerHandle _handle;
    private readonly PoolReports _reports;
    private readonly WorkerLog _log;
    private readonly Action<FailedStart?> _started;
    private readonly DataSendQueue _data;
    private readonly DataReceiver _reader;
    private readonly ControlSendQueue _control;
    private readonly ControlReceiver _receiver;

    // Set before the worker is ready, so before anything is dispatched to it.
    private Dictionary<Operation, int> _numbers = [];
    private bool _takesContext;
    private bool _takesCaller;

    // Gets the answer to the one question for a stack.
    private volatile Action<string>? _stackAnswered;

    /// <param name="definition">How the worker was started.</param>
    /// <param name="core">Its pool.</param>
    /// <param name="worker">The worker.</param>
    /// <param name="handle">Its process.</param>
    /// <param name="history">Its last calls.</param>
    /// <param name="memory">Checks its memory after its calls; <c>null</c> where the pool has no soft limit.</param>
    /// <param name="reports">What the pool tells of it.</param>
    /// <param name="started">Gets the outcome of its start, <c>null</c> for success; only the first one counts. Any thread.</param>
    public WorkerConnection(
        PoolDefinition definition, PoolCore core, IPoolWorker worker, WorkerHandle handle, CallHistory history, MemoryWatch? memory, PoolReports reports, Action<FailedStart?> started)
    {
        _definition = definition;
        _core = core;
        Worker = worker;
        _handle = handle;
        History = history;
        Memory = memory;
        _reports = reports;
        _log = reports.Log;
        _started = started;
        _data = new DataSendQueue(handle.Data, Write, definition.Time, OnActionFailed);
        _control = new ControlSendQueue(handle.Control);
        _receiver = new ControlReceiver(this, handle.Control, core, reports.Log);
        _reader = new DataReceiver(this, handle.Data, core, reports, definition);
    }

    /// <summary>The worker, for its pool.</summary>
    public IPoolWorker Worker { get; }

    /// <summary>Its last calls. Under the pool's lock until the worker is reaped.</summary>
    public CallHistory History { get; }

    /// <summary>Checks its memory after its calls; <c>null</c> where the pool has no soft limit.</summary>
    public MemoryWatch? Memory { get; }

    /// <summary>The memory it shares with the host, from READY on; <c>null</c> where it has none.</summary>
    public SharedMemoryRegion? SharedMemory { get; private set; }

    /// <summary>Whether it may send the status and headers that an operation chooses, as READY declared.</summary>
    public bool SendsHeads { get; private set; }

    /// <summary>Whether it may report how far jobs are, as READY declared.</summary>
    public bool ReportsProgress { get; private set; }

    /// <summary>Whether it may be asked for the stack of a call, as READY declared: a worker in another language.</summary>
    public bool ShowsStacks { get; private set; }

    /// <summary>How it broke the protocol; <c>null</c> when it did not. Set once, by the reader that found it.</summary>
    public string? Violation { get; private set; }

    /// <summary>Its BYE, its last frame; counts once the data channel has ended and the process is reaped.</summary>
    public ByePayload? Bye => _receiver.Bye;

    /// <summary>Completes when everything on the data channel was read and reported to the pool.</summary>
    public Task DataEnded => _reader.Ended;

    public bool MissedWake => _handle.Data.MissedWake;

    /// <summary>Begins to listen, and then sends HELLO.</summary>
    public void Open()
    {
        _receiver.Attend();
        _reader.Start($"Weir {_definition.Name} {_handle.ProcessId}");

        // While the process boots, which takes longer than reading the host's configuration. Without HELLO the worker does nothing, and is killed.
        try
        {
            _control.Send(_definition.Hello(_log.LeastLevel, _definition.Offer(_handle.SharedMemory is not null)), static (frames, hello) => hello.Write(frames));
        }
        catch (Exception failure)
        {
            _started(FailedStart.WithoutHello(failure, _handle.ProcessId));
        }
    }

    /// <summary>The process is gone: reports what it had finished and could not send. After <see cref="DataEnded"/>.</summary>
    public void Finish() => _reader.Finish();

    /// <summary>Nothing is sent any more. Before the channels are disposed: another thread may still send.</summary>
    public void Close()
    {
        _data.Close();
        _control.Close();
    }

    /// <summary>Gives the buffer of the control channel back, after the epoll loop has finished with it.</summary>
    public void ReleaseControl() => _receiver.Dispose();

    // ---- what the pool decides ----

    /// <inheritdoc cref="IPoolWorker.Assign"/>
    public void Assign(PoolCall call, ulong callId) => _data.Assign(call, callId);

    /// <inheritdoc cref="IPoolWorker.WriteAssigned"/>
    public void WriteAssigned() => _data.Write();

    /// <inheritdoc cref="IPoolWorker.Borrows"/>
    public bool Borrows(ulong first) => _data.Borrows(first);

    /// <summary>Copies what is not sent yet: all callers have their memory back.</summary>
    public void ReleaseUnsent() => CopyUnsent(null);

    /// <summary>Sends what was assigned: at once, or a moment later together with what other threads add until then.</summary>
    public void Dispatch(bool atOnce)
    {
        if (atOnce)
        {
            _data.Flush();
        }
        else
        {
            _data.FlushSoon();
        }
    }

    /// <inheritdoc cref="IPoolWorker.Cancel"/>
    public void Cancel(CancelReason reason, ulong callId)
    {
        ReleaseData(callId);
        _control.Send((reason, callId), static (frames, cancel) => new CancelPayload(cancel.reason).Write(frames, cancel.callId));
    }

    public void SendData<TState>(TState state, Action<FrameWriter, TState> write) => _data.Send(state, write);

    /// <inheritdoc cref="IPoolWorker.Ping"/>
    public void Ping()
    {
        _control.Send(0UL, static (frames, stamp) => new PingPayload(stamp).Write(frames, FrameType.Ping));
        _handle.Data.WakeInAnyCase();
    }

    /// <inheritdoc cref="IPoolWorker.Grant"/>
    public void Grant(ulong callId, uint bytes) =>
        _control.Send((callId, bytes), static (frames, grant) => new CreditPayload(grant.bytes).Write(frames, grant.callId));

    /// <summary>Asks where a call is. Once; the answer may come late, or never.</summary>
    /// <param name="callId">The call.</param>
    /// <param name="answered">Gets the stack, on the thread of the epoll loop.</param>
    public void AskForStack(ulong callId, Action<string> answered)
    {
        _stackAnswered = answered;
        _control.Send(callId, static (frames, id) => frames.Append(FrameType.Stack, id));
    }

    /// <summary>Asks the worker to finish its calls, of which this is the last, and to exit.</summary>
    public void Drain(ulong lastCallId) => _control.Send(lastCallId, static (frames, last) => frames.Append(FrameType.Drain, last));

    // ---- what it records in shared memory ----

    ulong IWorkerProgress.StartedThrough(ulong atLeast, ulong lastSent) => SharedMemory!.StartedThrough(atLeast, lastSent);

    ulong IWorkerProgress.StartOf(ulong callId) => SharedMemory!.StartOf(callId);

    bool IWorkerProgress.TryWithdraw(ulong atLeast, ulong lastSent, out ulong first) => SharedMemory!.TryWithdraw(atLeast, lastSent, out first);

    // ---- what its readers report ----

    /// <summary>From now on nothing of any call is read or sent. Before the pool assigns its calls to other workers.</summary>
    public void CloseData() => _data.Close();

    /// <summary>Drops the host's references to the memory of calls that were answered.</summary>
    public void ReleaseData(ReadOnlySpan<Answer> answers)
    {
        foreach (var answer in answers)
        {
            ReleaseData(answer.CallId);
        }
    }

    /// <summary>The call of an id, for a record that the worker logged.</summary>
    public RunningCall Find(ulong callId) => new(callId, _core.OperationOf(Worker, History, callId));

    /// <summary>It reports how far the job of a call is: dropped where the call has ended, or is no job. The thread of the epoll loop, without the pool's lock.</summary>
    public void OnProgress(ulong callId, in ProgressPayload progress)
    {
        // The context and not the entry, which is reused when its call has ended: the job itself knows whether it still runs.
        if (_core.JobOf(Worker, callId) is not { } job)
        {
            return;
        }

        try
        {
            job.Report(progress.Fraction, progress.Text.Length == 0 ? null : progress.Text);
        }
        catch (Exception failure)
        {
            _reports.CallbackFailed(failure, "reporting progress");
        }
    }

    /// <summary>It shows where a call is. The thread of the epoll loop.</summary>
    public void OnStack(ReadOnlySpan<byte> text) => _stackAnswered?.Invoke(Encoding.UTF8.GetString(text));

    /// <summary>It accepts calls. The thread of the epoll loop.</summary>
    public void OnReady(ReadyPayload ready)
    {
        var region = _handle.SharedMemory;
        if (OperationNumbers.Match(_definition, _definition.Offer(region is not null), ready, _handle.ProcessId, out _numbers) is { } mismatch)
        {
            _started(mismatch);
            return;
        }

        SendsHeads = ready.Capabilities.HasFlag(Capabilities.ResponseHeads);
        ShowsStacks = ready.Capabilities.HasFlag(Capabilities.Stack);
        ReportsProgress = ready.Capabilities.HasFlag(Capabilities.Progress);
        _takesContext = ready.Capabilities.HasFlag(Capabilities.CallContext);
        _takesCaller = ready.Capabilities.HasFlag(Capabilities.Caller);
        if (ready.Capabilities.HasFlag(Capabilities.SharedMemory))
        {
            SharedMemory = region!;
            _handle.Data.Share(SharedMemory, () => _control.SendOnce(FrameType.Space), violation => OnViolation(violation, isUnreadable: false));
        }

        if (_core.Ready(Worker))
        {
            _started(null);
        }
    }

    /// <summary>It reports why it cannot start. The thread of the epoll loop.</summary>
    public void OnStartFailed(StartFailure failure) => _started(FailedStart.Reported(failure, _handle.ProcessId));

    /// <summary>It broke the protocol, on either channel.</summary>
    /// <param name="message">How.</param>
    /// <param name="isUnreadable">Its data channel is not read any more, so what it starts from now on is not known.</param>
    public void OnViolation(string message, bool isUnreadable)
    {
        CloseData();
        Violation ??= message;
        if (!_core.Violated(Worker, message, isUnreadable))
        {
            _started(new FailedStart(WeirCodes.WorkerStartFailed, "send READY", $"It broke the protocol: {message}.", _handle.ProcessId));
        }
    }

    /// <summary>Something could not be sent to it: nothing more can be.</summary>
    public void OnActionFailed(Exception failure) => OnViolation($"sending to it failed: {failure}", isUnreadable: false);

    private void Write(FrameWriter frames, PoolCall call, ulong callId) => call.Write(frames, callId, (ushort)_numbers[call.Operation], _takesContext, _takesCaller);

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
}
