using System.Diagnostics.CodeAnalysis;
using Weir.Protocol;

namespace Weir.Execution.Processes;

/// <summary>
/// Everything that happens to a pool, from any thread: each method is one event, decided under the pool's one short lock and
/// carried out after it is let go. Owns the table, whose queue is bounded by its places, and the pool's one timer.
/// </summary>
[SuppressMessage("Reliability", "CA2000", Justification = "A worker's life ends and disposes itself.")]
internal sealed class PoolEvents : IDisposable
{
    private readonly Lock _gate = new();
    private readonly PoolSpec _spec;
    private readonly WorkerLog _log;
    private readonly PoolTable _table;
    private readonly long _start;
    private readonly ITimer _timer;
    private readonly ActionCarrier _carrier;

    // Under _gate.
    private TimeSpan? _armedFor;

    public PoolEvents(PoolSpec spec, WorkerLog log)
    {
        _spec = spec;
        _log = log;
        _table = new PoolTable(spec.Settings);
        _start = spec.Time.GetTimestamp();
        _timer = spec.Time.CreateTimer(static state => ((PoolEvents)state!).Tick(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        Endings = new CallEndings(spec);
        _carrier = new ActionCarrier(spec.Name, Endings);
    }

    public CallEndings Endings { get; }

    /// <summary>Ends when the pool is drained: every call has its ending and every process is reaped.</summary>
    public Task Drained => _carrier.Drained;

    // ---- what the pool's owner brings ----

    public void Open()
    {
        var actions = _carrier.Rent();
        lock (_gate)
        {
            PoolDecisions.Open(_table, Now, actions);
            Conclude_NeedsLock(actions);
        }

        _carrier.Carry(actions);
    }

    public void Drain()
    {
        var actions = _carrier.Rent();
        lock (_gate)
        {
            PoolDecisions.Drain(_table, Now, actions);
            Conclude_NeedsLock(actions);
        }

        _carrier.Carry(actions);
    }

    public void Abort()
    {
        var actions = _carrier.Rent();
        lock (_gate)
        {
            PoolDecisions.Abort(_table, Now, actions);
            Conclude_NeedsLock(actions);
        }

        _carrier.Carry(actions);
    }

    public PoolSnapshot Snapshot(string isolation)
    {
        lock (_gate)
        {
            return new PoolSnapshot(
                _spec.Name,
                _spec.Options.MinWorkers,
                _spec.Options.MaxWorkers,
                _spec.Options.QueueLimit,
                _table.Queue.Count,
                _table.Waiters.Count,
                _table.IsDraining,
                isolation,
                [.. _table.Workers.Where(static worker => worker.State != WorkerState.Absent).Select(static worker => new WorkerSnapshot(
                    ((WorkerProcess?)worker.Process)?.ProcessId ?? 0,
                    worker.State.ToString().ToLowerInvariant(),
                    worker.CallsDone,
                    (worker.Current as PoolCall)?.Call.Operation.FullName))]);
        }
    }

    // ---- what callers bring ----

    /// <returns>Whether the call has a place; otherwise it waits for one (<see cref="PoolCall.Admit"/>) or has its ending.</returns>
    public CallState Arrive(PoolCall call)
    {
        var actions = _carrier.Rent();
        CallState state;
        lock (_gate)
        {
            PoolDecisions.Arrive(_table, call, call.WaitsForRoom, Now, actions);
            state = call.State;
            Conclude_NeedsLock(actions);
        }

        _carrier.Carry(actions);
        return state;
    }

    public void Submit(PoolCall call)
    {
        var actions = _carrier.Rent();
        lock (_gate)
        {
            PoolDecisions.Submit(_table, call, Now, actions);
            Conclude_NeedsLock(actions);
        }

        _carrier.Carry(actions);
    }

    /// <summary>The caller leaves; if the call has no ending yet, this is it.</summary>
    public void Leave(PoolCall call, CancelReason reason, Exception ending)
    {
        var actions = _carrier.Rent();
        bool isEnding;
        lock (_gate)
        {
            call.LeaveReason = call.CallerGone ? call.LeaveReason : reason;
            isEnding = PoolDecisions.Leave(_table, call, Now, actions);
            Conclude_NeedsLock(actions);
        }

        try
        {
            // The caller's memory is its own again once the cancel is carried out.
            _carrier.Carry(actions);
        }
        finally
        {
            if (isEnding)
            {
                call.Abandon(ending);
            }
        }
    }

    /// <summary>The consumer of a stream made room for more.</summary>
    public void Grant(PoolStream stream, uint bytes)
    {
        WorkerProcess? worker;
        ulong callId;
        lock (_gate)
        {
            worker = stream is { State: CallState.Started, CallerGone: false } ? (WorkerProcess?)stream.Worker!.Process : null;
            callId = stream.CallId;
        }

        worker?.Grant(callId, bytes);
    }

    // ---- what workers bring ----

    /// <returns><c>false</c> when the worker was given up before.</returns>
    public bool Ready(WorkerProcess worker)
    {
        var actions = _carrier.Rent();
        bool isWanted;
        lock (_gate)
        {
            isWanted = WorkerDecisions.Ready(_table, worker.Entry, Now, actions);
            Conclude_NeedsLock(actions);
        }

        _carrier.Carry(actions);
        return isWanted;
    }

    /// <returns><c>false</c> when the worker has become ready before.</returns>
    public bool StartFailed(WorkerProcess worker, FailedStart failure, bool isDefinite)
    {
        var actions = _carrier.Rent();
        bool failed;
        lock (_gate)
        {
            failed = worker.Entry.State == WorkerState.Starting;
            if (failed)
            {
                _carrier.LastFailure = failure;
                WorkerDecisions.StartFailed(_table, worker.Entry, isDefinite, Now, actions);
            }

            Conclude_NeedsLock(actions);
        }

        _carrier.Carry(actions);
        return failed;
    }

    /// <returns>The call that runs from now on; <c>null</c> when the worker was not sent such a call, or started it before.</returns>
    public PoolCall? Started(WorkerProcess worker, ulong callId)
    {
        var actions = _carrier.Rent();
        PoolCall? call;
        lock (_gate)
        {
            call = worker.Entry.Current as PoolCall;
            call = call is { State: CallState.Sent } && call.CallId == callId ? call : null;
            if (call is not null)
            {
                WorkerDecisions.Started(_table, worker.Entry, Now, actions);
            }

            Conclude_NeedsLock(actions);
        }

        _carrier.Carry(actions);
        return call;
    }

    /// <summary>The worker answered the call that runs. The caller of this gives the call its ending, if it is one, and then carries out what follows.</summary>
    public bool Answered(WorkerProcess worker, out PoolActions following)
    {
        following = _carrier.Rent();
        lock (_gate)
        {
            var isEnding = WorkerDecisions.Answered(_table, worker.Entry, Now, following);
            Conclude_NeedsLock(following);
            return isEnding;
        }
    }

    /// <summary>Everything the worker sent has been read.</summary>
    public void ChannelEnded(WorkerProcess worker)
    {
        var actions = _carrier.Rent();
        lock (_gate)
        {
            // Of a worker that was not ready its start says the rest.
            if (worker.Entry.State is WorkerState.Starting or WorkerState.Idle or WorkerState.Busy or WorkerState.Retiring)
            {
                NoteUnused_NeedsLock(worker);
                WorkerDecisions.ChannelEnded(_table, worker.Entry, Now, actions);
            }

            Conclude_NeedsLock(actions);
        }

        _carrier.Carry(actions);
    }

    /// <returns><c>false</c> when the worker was not ready, or is given up already.</returns>
    public bool Violated(WorkerProcess worker, string message)
    {
        var actions = _carrier.Rent();
        bool counts;
        lock (_gate)
        {
            counts = worker.Entry.State is WorkerState.Idle or WorkerState.Busy or WorkerState.Retiring;
            if (counts || worker.Entry.State == WorkerState.Starting)
            {
                NoteUnused_NeedsLock(worker);
                WorkerDecisions.Violated(_table, worker.Entry, Now, actions);
            }

            Conclude_NeedsLock(actions);
        }

        _carrier.Carry(actions, worker, message);
        return counts;
    }

    /// <summary>Why the host killed a worker, if it did.</summary>
    public KillReason KilledBecause(WorkerProcess worker)
    {
        lock (_gate)
        {
            return worker.Entry.Killed;
        }
    }

    /// <summary>The process is gone and everything of it is closed.</summary>
    public void Reaped(WorkerProcess worker, string cause)
    {
        var actions = _carrier.Rent();
        lock (_gate)
        {
            WorkerDecisions.Reaped(_table, worker.Entry, Now, actions);
            Conclude_NeedsLock(actions);
        }

        _carrier.Carry(actions, worker, cause);
    }

    /// <summary>Carries out what follows from an answer.</summary>
    public void Carry(PoolActions following) => _carrier.Carry(following);

    public void Dispose() => _timer.Dispose();

    private TimeSpan Now => _spec.Time.GetElapsedTime(_start);

    private void Tick()
    {
        var actions = _carrier.Rent();
        lock (_gate)
        {
            _armedFor = null;
            PoolDecisions.Tick(_table, Now, actions);
            Conclude_NeedsLock(actions);
        }

        _carrier.Carry(actions);
    }

    // Such an end may close the pool for a while, and then somebody asks why.
    private void NoteUnused_NeedsLock(WorkerProcess worker)
    {
        if (worker.Entry is { State: WorkerState.Idle or WorkerState.Busy, HasStarted: false })
        {
            _carrier.LastFailure = FailedStart.EndedUnused(worker.ProcessId);
        }
    }

    // Every event ends with it: processes for the workers that are to be spawned, and the timer for what is foreseen.
    private void Conclude_NeedsLock(PoolActions actions)
    {
        for (var i = 0; i < actions.Count; i++)
        {
            if (actions[i] is { Kind: PoolActionKind.Spawn, Worker: { } entry })
            {
                entry.Process = new WorkerProcess(_spec, this, _log, entry);
            }
        }

        // A timer that fires too early looks again; that costs less than moving it with every call.
        var now = Now;
        if (PoolDecisions.NextTick(_table, now) is { } next && (_armedFor is null || next < _armedFor))
        {
            _armedFor = next;
            var wait = next - now;
            _timer.Change(wait < TimeSpan.Zero ? TimeSpan.Zero : wait, Timeout.InfiniteTimeSpan);
        }
    }
}
