using Weir.Execution.Pools.Scheduling;
using Weir.Execution.Threading;
using Weir.Runtime;

namespace Weir.Execution.Pools.Core;

/// <summary>Carries out what a pool decided, on the thread that brought the event and without the pool's lock.</summary>
/// <param name="core">Decides the events that follow from an action, into the same list: one loop carries out all, however many follow.</param>
/// <param name="observer">Learns how long calls waited.</param>
internal sealed class ActionExecutor(PoolCore core, IPoolObserver observer)
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
        actions.MeasuresWaits = observer.MeasuresWaits;
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

    /// <summary>The same without actions that may take long or lead to further events: those are left in the list, for <see cref="ExecuteRest"/>.</summary>
    public void ExecuteFirst(PoolActions actions, string cause = "")
    {
        var (left, next) = (0, 0);
        try
        {
            while (next < actions.Count)
            {
                var index = next++;
                if (IsLater(actions[index].Kind))
                {
                    actions[left++] = actions[index];
                }
                else
                {
                    ExecuteOne(actions, index, cause);
                }
            }
        }
        finally
        {
            // Nothing is carried out twice, and nothing is lost, whatever was thrown.
            while (next < actions.Count)
            {
                actions[left++] = actions[next++];
            }

            actions.Truncate(left);
        }
    }

    /// <summary>Carries out the other actions: admitted calls write their arguments, withdrawn calls get their memory back, cancelled calls complete, and what follows from these.</summary>
    public void ExecuteRest(PoolActions actions, string cause = "")
    {
        for (var i = 0; i < actions.Count; i++)
        {
            ExecuteOne(actions, i, cause);
        }

        if (actions.WaitCount > 0)
        {
            observer.Waited(actions.Waits);
        }

        actions.Clear();
        _lists.Return(actions);
    }

    private static bool IsLater(PoolActionKind kind) => kind is PoolActionKind.Admit or PoolActionKind.Withdraw or PoolActionKind.Abandon;

    // Step 4 of an isolated call (docs/architecture.md). A failure here must not keep the other actions from being carried out: other callers wait for them.
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
                action.Call!.Fail(failure);
            }
            else if (action.Kind == PoolActionKind.Abandon)
            {
                observer.CallbackFailed(failure, "cancelling a call");
            }
            else if (action.Worker is null)
            {
                observer.CallbackFailed(failure, "admitting a call");
            }
            else if (action.Worker.Process is { } worker)
            {
                // On another thread: it is a separate event.
                Callbacks.Queue(
                    (worker, failure), static broken => broken.worker.OnActionFailed(broken.failure),
                    (_, failure) => observer.CallbackFailed(failure, "ending a worker"));
            }
        }
    }

    private void Execute(PoolActions actions, int index, string cause)
    {
        var action = actions[index];
        var worker = action.Worker?.Process;
        var call = action.Call;
        switch (action.Kind)
        {
            case PoolActionKind.Admit:
                if (call!.TryTakePlace())
                {
                    core.SubmitAdmitted(call, actions);
                }

                break;
            case PoolActionKind.Abandon:
                // After the worker was asked to cancel it: from then on nothing refers to the caller's memory.
                call!.Abandon(call.CancelledWith!);
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
            case PoolActionKind.Drained:
                _drained.TrySetResult();
                break;
            default:
                call!.Fail(action.Kind, worker, cause);
                break;
        }
    }
}
