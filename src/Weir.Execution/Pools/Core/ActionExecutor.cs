using Weir.Execution.Diagnostics;
using Weir.Execution.Pools.Calls;
using Weir.Execution.Pools.Scheduling;
using Weir.Execution.Threading;
using Weir.Runtime;

namespace Weir.Execution.Pools.Core;

/// <summary>Carries out what a pool decided, on the thread that brought the event and without the pool's lock.</summary>
/// <param name="pool">The pool's name.</param>
/// <param name="exceptions">The exceptions for callers.</param>
/// <param name="tally">The metrics of the pool.</param>
/// <param name="events">Decides the events that follow from an action, into the same list: one loop carries out all, however many follow.</param>
internal sealed class ActionExecutor(string pool, CallExceptions exceptions, PoolMetrics tally, PoolCore events)
{
    private readonly TaskCompletionSource _drained = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // Lists to decide into: as many as threads decide at once, and one more where carrying out an action leads to another event.
    private readonly ObjectPool<PoolActions> _lists = new();
    private volatile FailedStart? _lastFailure;

    /// <summary>Completes when the pool is drained.</summary>
    public Task Drained => _drained.Task;

    /// <summary>Why callers fail that wait for a worker that cannot be started; set before any action that may fail them with it.</summary>
    public FailedStart? LastFailure
    {
        get => _lastFailure;
        set => _lastFailure = value;
    }

    public PoolActions Rent()
    {
        var actions = _lists.TryRent() ?? new PoolActions();
        actions.MeasuresWaits = tally.MeasuresWaits;
        return actions;
    }

    /// <summary>Carries out what was decided and what follows from that, without the pool's lock.</summary>
    /// <param name="actions">Not to be used afterwards.</param>
    /// <param name="cause">What happened to the worker whose calls fail because of it.</param>
    public void Execute(PoolActions actions, string cause = "")
    {
        ExecuteFirst(actions, cause);
        ExecuteRest(actions, cause);
    }

    /// <summary>The same without actions that may take long or lead to further events: those are left for <see cref="ExecuteRest"/>.</summary>
    public void ExecuteFirst(PoolActions actions, string cause = "")
    {
        for (var i = 0; i < actions.Count; i++)
        {
            if (!IsLater(actions[i].Kind))
            {
                ExecuteOne(actions, i, cause);
            }
        }
    }

    /// <summary>Carries out the other actions: admitted calls write their arguments, withdrawn calls get their memory back, and what follows from both.</summary>
    public void ExecuteRest(PoolActions actions, string cause = "")
    {
        var first = actions.Count;
        for (var i = 0; i < actions.Count; i++)
        {
            if (i >= first || IsLater(actions[i].Kind))
            {
                ExecuteOne(actions, i, cause);
            }
        }

        if (actions.WaitCount > 0)
        {
            tally.Waited(actions.Waits);
        }

        actions.Clear();
        _lists.Return(actions);
    }

    private static bool IsLater(PoolActionKind kind) => kind is PoolActionKind.Admit or PoolActionKind.Withdraw;

    // A failure here must not keep the other actions from being carried out: other callers wait for them.
    private void ExecuteOne(PoolActions actions, int index, string cause)
    {
        var action = actions[index];
        try
        {
            Execute(actions, index, cause);
        }
        catch (Exception failure)
        {
            if (action.IsOutcome)
            {
                ((PoolCall)action.Call!).Fail(failure);
            }
            else if (action.Worker?.Process is IPoolWorker worker)
            {
                // On another thread: it is a separate event.
                Callbacks.Queue(
                    (worker, failure), static broken => broken.worker.OnViolation($"sending to it failed: {broken.failure}", isUnreadable: false),
                    (_, failure) => events.ReportFailure(failure, "ending a worker"));
            }
        }
    }

    private void Execute(PoolActions actions, int index, string cause)
    {
        var action = actions[index];
        var worker = (IPoolWorker?)action.Worker?.Process;
        var call = (PoolCall?)action.Call;
        switch (action.Kind)
        {
            case PoolActionKind.Admit:
                if (call!.TryTakePlace())
                {
                    events.SubmitAdmitted(call, actions);
                }

                break;
            case PoolActionKind.Withdraw:
                worker!.ReturnWithdrawn(actions);
                break;
            case PoolActionKind.Dispatch:
                // Assigned already; one flush for all dispatches to this worker that follow each other.
                if (index + 1 == actions.Count || actions[index + 1] is var next && (next.Kind != PoolActionKind.Dispatch || next.Worker != action.Worker))
                {
                    worker!.Dispatch();
                }

                break;
            case PoolActionKind.Cancel:
                worker!.Cancel(call!, action.CallId);
                break;
            case PoolActionKind.Ping:
                worker!.Ping();
                break;
            case PoolActionKind.Spawn:
                worker!.Start();
                break;
            case PoolActionKind.Retire:
                worker!.Retire();
                break;
            case PoolActionKind.Kill:
                worker!.Kill();
                break;
            case PoolActionKind.RejectFull:
                call!.Fail(exceptions.Full());
                break;
            case PoolActionKind.RejectDraining:
                call!.Fail(exceptions.Draining());
                break;
            case PoolActionKind.RejectQuarantined:
                call!.Fail(exceptions.Quarantined(call.Call.Operation));
                break;
            case PoolActionKind.FailStart:
                call!.Fail(LastFailure!.ToException(pool));
                break;
            case PoolActionKind.FailLost:
                call!.Fail(exceptions.Lost(call.Call.Operation, worker!.ProcessId, cause, worker.ReportId));
                break;
            case PoolActionKind.FailUnstarted:
                call!.Fail(exceptions.Unstarted(call.Call.Operation, worker!.ProcessId, cause, worker.ReportId));
                break;
            case PoolActionKind.FailViolation:
                call!.Fail(exceptions.Violation(call.Call.Operation, worker!.ProcessId, cause));
                break;
            case PoolActionKind.Drained:
                _drained.TrySetResult();
                break;
        }
    }
}
