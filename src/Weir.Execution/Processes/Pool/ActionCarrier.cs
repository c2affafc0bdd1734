namespace Weir.Execution.Processes;

/// <summary>Carries out what a pool decided, on the thread that brought the event and without the pool's lock.</summary>
/// <param name="pool">The pool's name.</param>
/// <param name="endings">What callers are told.</param>
/// <param name="tally">Where it is counted.</param>
internal sealed class ActionCarrier(string pool, CallEndings endings, PoolTally tally)
{
    private readonly TaskCompletionSource _drained = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // Lists to decide into: as many as threads decide at once, and one more where carrying out leads to the next event.
    private readonly ReusePool<PoolActions> _lists = new();
    private volatile FailedStart? _lastFailure;

    /// <summary>Ends when the pool is drained.</summary>
    public Task Drained => _drained.Task;

    /// <summary>What callers are told who wait for a worker that cannot be started; set before anything that may end them so.</summary>
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

    /// <summary>Carries out what was decided, without the pool's lock.</summary>
    /// <param name="actions">Not to be used afterwards.</param>
    /// <param name="cause">What happened to the worker whose calls end because of it.</param>
    public void Carry(PoolActions actions, string cause = "")
    {
        for (var i = 0; i < actions.Count; i++)
        {
            var action = actions[i];
            var worker = (WorkerProcess?)action.Worker?.Process;
            var call = (PoolCall?)action.Call;
            switch (action.Kind)
            {
                case PoolActionKind.Admit:
                    call!.Admit();
                    break;
                case PoolActionKind.Dispatch:
                    // Given already; one flush for all that follow each other.
                    if (i + 1 == actions.Count || actions[i + 1] is var next && (next.Kind != PoolActionKind.Dispatch || next.Worker != action.Worker))
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
                    call!.Fail(endings.Full());
                    break;
                case PoolActionKind.RejectDraining:
                    call!.Fail(endings.Draining());
                    break;
                case PoolActionKind.RejectPoisoned:
                    call!.Fail(endings.Poisoned(call.Call.Operation));
                    break;
                case PoolActionKind.FailStart:
                    call!.Fail(LastFailure!.ToException(pool));
                    break;
                case PoolActionKind.FailLost:
                    call!.Fail(endings.Lost(call.Call.Operation, worker!.ProcessId, cause, worker.ReportId));
                    break;
                case PoolActionKind.FailUnstarted:
                    call!.Fail(endings.Unstarted(call.Call.Operation, worker!.ProcessId, cause, worker.ReportId));
                    break;
                case PoolActionKind.FailViolation:
                    call!.Fail(endings.Violation(call.Call.Operation, worker!.ProcessId, cause));
                    break;
                case PoolActionKind.Drained:
                    _drained.TrySetResult();
                    break;
            }
        }

        if (actions.Waits.Count > 0)
        {
            tally.Waited(actions.Waits);
        }

        actions.Clear();
        _lists.Return(actions);
    }
}
