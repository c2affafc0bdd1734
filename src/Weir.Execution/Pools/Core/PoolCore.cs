using System.Diagnostics.CodeAnalysis;
using Weir.Execution.Diagnostics;
using Weir.Execution.Pools.Calls;
using Weir.Execution.Pools.Definition;
using Weir.Execution.Pools.Scheduling;
using Weir.Execution.Threading;
using Weir.Protocol.Payloads;

namespace Weir.Execution.Pools.Core;

/// <summary>
/// The events of one pool, from any thread: each method is one event. It is decided under the pool's one short lock, and its actions
/// are carried out after the lock is released. Owns the table, whose queue is bounded by its places, and the pool's one timer. Events
/// that need nothing but the table are in <see cref="PoolLifecycle"/> and <see cref="WorkerEvents"/>.
/// </summary>
[SuppressMessage("Reliability", "CA2000", Justification = "A worker's life ends and disposes itself.")]
internal sealed class PoolCore : IDisposable
{
    // How long after a failed tick it is tried again.
    private static readonly TimeSpan TickPause = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private readonly PoolDefinition _definition;
    private readonly WorkerLog _log;
    private readonly Func<PoolDefinition, PoolCore, WorkerEntry, IPoolWorker> _createWorker;
    private readonly PoolTable _table;
    private readonly PoolClock _clock;
    private readonly PoolTimer _timer;
    private readonly ActionExecutor _executor;

    // What is known of the time each operation takes; the entries under _gate.
    private readonly Dictionary<Operation, OperationTime> _times;

    // Under _gate: the lifetimes of all workers that are not over. Bounded by the workers there may be, and those whose last callbacks run.
    private readonly List<Task> _lives = [];

    // Written under _gate.
    private bool _hasSpace = true;
    private bool _comparesCalls;

    /// <param name="definition">The pool.</param>
    /// <param name="log">What the pool logs.</param>
    /// <param name="createWorker">Creates a worker of a generation, without starting it. Called under the pool's lock.</param>
    public PoolCore(PoolDefinition definition, WorkerLog log, Func<PoolDefinition, PoolCore, WorkerEntry, IPoolWorker> createWorker)
    {
        _definition = definition;
        _createWorker = createWorker;
        Generations = new PoolGenerations(definition);
        _log = log;
        _table = new PoolTable(definition.Settings);
        _times = definition.Operations.ToDictionary(static operation => operation, static _ => new OperationTime());
        _clock = new PoolClock(definition.Time);
        _timer = new PoolTimer(definition.Time, Tick, OnTickFailed);
        Exceptions = new CallExceptions(definition);
        Tally = new PoolMetrics(definition.Name, definition.Meter);
        View = new PoolDiagnostics(definition, _table, _gate, _clock, () => _executor!.LastFailure);
        _executor = new ActionExecutor(definition.Name, Exceptions, Tally, this);
    }

    /// <summary>One event: changes the table and adds the actions that follow, under the pool's lock. It neither waits nor calls back.</summary>
    public delegate void Decision<T>(PoolTable table, T subject, TimeSpan now, PoolActions actions);

    public CallExceptions Exceptions { get; }

    /// <summary>The configurations that workers are started with. Under the pool's lock.</summary>
    public PoolGenerations Generations { get; }

    /// <summary>The callers that wait until the pool is ready. Under the pool's lock.</summary>
    public ReadinessWaiters Readiness { get; } = new();

    /// <summary>What is counted. Any thread.</summary>
    public PoolMetrics Tally { get; }

    /// <summary>For code that only reads the state of the pool.</summary>
    public PoolDiagnostics View { get; }

    /// <summary>Completes when the pool is drained: every call has its outcome, every process is reaped, and every worker's last callback has returned.</summary>
    public async Task WhenDrainedAsync()
    {
        await _executor.Drained;
        Task[] lives;
        lock (_gate)
        {
            lives = [.. _lives];
        }

        await Task.WhenAll(lives);
    }

    private TimeSpan Now => _clock.Now;

    // ---- events from callers ----

    /// <summary>What the pool has learned about the time an operation takes.</summary>
    public OperationTime? TimeOf(Operation operation) => _times.GetValueOrDefault(operation);

    /// <summary>A hint, without the lock: whether a call that arrives now would get a place.</summary>
    public bool HasSpace => Volatile.Read(ref _hasSpace);

    /// <summary>A hint, without the lock: whether calls are compared with those that made workers fail.</summary>
    public bool ComparesCalls => Volatile.Read(ref _comparesCalls);

    /// <returns>The state of the call: it has a place, waits for one (<see cref="PoolCall.TryTakePlace"/>), or has its outcome.</returns>
    public CallState Arrive(PoolCall call) => AddCall(call, static (table, call, now, actions) => PoolDecisions.Arrive(table, call, call.WaitsForCapacity, now, actions));

    /// <summary><see cref="Arrive"/> and <see cref="Submit"/> as one event, if there is a place; the arguments are already written.</summary>
    public CallState Enter(PoolCall call) => AddCall(call, static (table, call, now, actions) => PoolDecisions.Enter(table, call, call.WaitsForCapacity, now, actions));

    /// <summary>The same as <see cref="Enter"/> for calls that arrive together, as one event.</summary>
    public void EnterAll(ReadOnlySpan<PoolCall> calls)
    {
        var actions = _executor.Rent();
        List<PoolCall>? left = null;
        lock (_gate)
        {
            var now = Now;
            foreach (var call in calls)
            {
                PoolDecisions.Enter(_table, call, call.WaitsForCapacity, now, actions);
                if (IsCancelled_NeedsLock(call, actions))
                {
                    (left ??= []).Add(call);
                }
            }

            Conclude_NeedsLock(actions);
        }

        _executor.Execute(actions);
        foreach (var call in left ?? [])
        {
            call.Abandon(new OperationCanceledException(call.Token));
        }
    }

    public void Submit(PoolCall call) => Decide(call, static (table, call, now, actions) => PoolDecisions.Submit(table, call, now, actions));

    /// <summary>A call that waited has a place: it writes its arguments, and gets a worker now or later. The actions that follow are added to a list that is being carried out.</summary>
    public void SubmitAdmitted(PoolCall call, PoolActions actions)
    {
        var failure = call.TryWrite();
        var stream = failure is null ? call as PoolStream : null;
        var isOutcome = false;
        Add((call, failure), actions, (table, written, now, actions) =>
        {
            if (written.failure is null)
            {
                PoolDecisions.Submit(table, written.call, now, actions);
            }
            else
            {
                // Its place is free for another call; if its caller cancelled before, the call has its outcome already.
                isOutcome = PoolDecisions.Cancel(table, written.call, now, actions);
            }
        });

        // From here on the entry may belong to another call, unless this one failed.
        if (isOutcome)
        {
            call.Abandon(failure!);
        }

        stream?.OnEntered();
    }

    /// <summary>The worker's frames do not refer to its withdrawn calls any more: these are queued again. The actions that follow are added to a list that is being carried out.</summary>
    public void Returned(IPoolWorker worker, PoolActions actions) => Add(worker, actions, static (table, worker, now, actions) =>
    {
        var (first, last) = worker.Entry.Withdrawn;
        worker.Entry.Withdrawn = (1, 0);
        WorkerDecisions.Withdrawn(table, worker.Entry, first, last, now, actions);
    });

    /// <summary>Cancels a call; if it has no outcome yet, <paramref name="outcome"/> is it.</summary>
    public void Cancel(PoolCall call, CancelReason reason, Exception outcome)
    {
        var actions = _executor.Rent();
        bool isOutcome;
        lock (_gate)
        {
            call.CancelReason = call.IsCancelled ? call.CancelReason : reason;
            if (call is { State: CallState.Sent, Worker: { } worker })
            {
                SharedMemoryEvents.Progress(_table, worker, _clock, actions);
            }

            isOutcome = PoolDecisions.Cancel(_table, call, Now, actions);
            Conclude_NeedsLock(actions);
        }

        try
        {
            // The caller may use its memory again once the cancel is carried out.
            _executor.Execute(actions);
        }
        finally
        {
            if (isOutcome)
            {
                call.Abandon(outcome);
            }
        }
    }

    // ---- events from workers ----

    /// <returns><c>false</c> when the worker had become ready before.</returns>
    public bool StartFailed(IPoolWorker worker, FailedStart failure, bool isDefinite)
    {
        var failed = false;
        Decide(worker, (table, worker, now, actions) =>
        {
            failed = worker.Entry.State == WorkerState.Starting;
            if (failed)
            {
                _executor.LastFailure = failure;
                WorkerDecisions.StartFailed(table, worker.Entry, isDefinite, now, actions);
                if (isDefinite && worker.Entry.Killed == KillReason.None)
                {
                    Readiness.Fail(worker.Entry.Generation, failure.ToException(_definition.Name));
                }
            }
        });
        return failed;
    }

    /// <summary>An item of a result has arrived, or an item of a request is asked for. Called once per result stream: the reader keeps the call until it is answered.</summary>
    /// <returns>The call; <c>null</c> when the worker does not run it.</returns>
    public PoolCall? Item(IPoolWorker worker, ulong callId)
    {
        lock (_gate)
        {
            return (PoolCall?)WorkerDecisions.Item(worker.Entry, callId);
        }
    }

    /// <summary>
    /// The worker answered: all answers that were read together are one event. The code that calls this completes the calls whose answer
    /// is their outcome, and then carries out the actions that follow; if not all answers are valid, it reports the violation after that.
    /// </summary>
    /// <param name="worker">The worker.</param>
    /// <param name="answers">What it answered.</param>
    /// <param name="perCall">How long a call took by the worker's clock; zero when it is not known.</param>
    /// <param name="following">The actions to carry out.</param>
    /// <returns>How many of the answers are valid.</returns>
    public int Answered(IPoolWorker worker, Span<Answer> answers, TimeSpan perCall, out PoolActions following)
    {
        following = _executor.Rent();
        worker.Memory?.Note();
        lock (_gate)
        {
            var now = Now;
            var before = WhyUnused_NeedsLock(worker);
            var count = WorkerDecisions.Answered(_table, worker.Entry, answers, perCall, now, following);
            _executor.LastFailure = count < answers.Length && before is not null ? before : _executor.LastFailure;
            worker.History.Answered(worker.Entry, answers[..count], _clock);
            Conclude_NeedsLock(following);
            Tally.Succeeded(ReceivedAnswers.CountResults(answers[..count]));
            return count;
        }
    }

    /// <summary>Everything the worker sent has been read and reported.</summary>
    /// <param name="worker">The worker.</param>
    /// <param name="isReaped">The process is gone, and what it left in its shared memory was reported too. Before that a worker may still start calls it was sent, and how it ended is not known.</param>
    public void ChannelEnded(IPoolWorker worker, bool isReaped) => Decide(worker, (table, worker, now, actions) =>
    {
        // If the worker was not ready, the failure of its start reports the rest.
        NoteUnused_NeedsLock(worker);
        var entry = worker.Entry;
        if (!isReaped)
        {
            WorkerDecisions.Closing(table, entry, now, actions);
            return;
        }

        var through = entry.HasSharedMemory ? worker.SharedMemory!.StartedThrough(entry.StartedThrough, entry.LastCallId) : entry.StartedThrough;
        worker.History.Ended(entry, through, _clock);
        entry.WasEndedFromOutside = worker.WasEndedFromOutside;
        WorkerDecisions.ChannelEnded(table, entry, through, now, actions);
    });

    /// <summary>The worker broke the protocol.</summary>
    /// <param name="worker">The worker.</param>
    /// <param name="message">How.</param>
    /// <param name="isUnreadable">What it sends about its calls is not read any more: all of them may have started.</param>
    /// <returns><c>false</c> when the worker was not ready, or is killed for this already.</returns>
    public bool Violated(IPoolWorker worker, string message, bool isUnreadable)
    {
        var counts = false;
        Decide(
            worker,
            (table, worker, now, actions) =>
            {
                var entry = worker.Entry;
                counts = entry.State is not (WorkerState.Absent or WorkerState.Starting) && entry.Killed != KillReason.BrokeProtocol;
                if (counts || entry.State == WorkerState.Starting)
                {
                    NoteUnused_NeedsLock(worker);
                    var (through, isFinal) = entry.HasSharedMemory ? SharedMemoryEvents.Stop(entry) : (isUnreadable ? entry.LastCallId : entry.StartedThrough, false);
                    worker.History.Ended(entry, through, _clock);
                    WorkerDecisions.Violated(table, entry, through, now, actions);
                    if (isFinal)
                    {
                        WorkerDecisions.ChannelEnded(table, entry, through, now, actions);
                    }
                }
            },
            message);
        return counts;
    }

    /// <summary>The process is gone, and everything that belongs to it is closed.</summary>
    public void Reaped(IPoolWorker worker, string cause)
    {
        _definition.Capacity?.Release(1);
        Decide(
            worker,
            static (table, worker, now, actions) =>
                WorkerDecisions.Reaped(table, worker.Entry, worker.Entry.StartedThrough, new WorkerEntry(worker.Entry.Index), now, actions),
            cause);
    }

    /// <summary>The caller of a stream cancelled or disconnected before, and now its producer has stopped: the worker's answer was read.</summary>
    public void Stopped(IPoolWorker worker, PoolStream stream) => Callbacks.Queue(
        (Events: this, stream.Call.Operation, worker.ProcessId, After: Now - stream.CancelledAt),
        static stop => stop.Events._log.Write(
            stop, static (logger, stop) => PoolLog.ProducerStopped(logger, stop.Operation.FullName, stop.ProcessId, stop.Events._definition.Name, stop.After.TotalMilliseconds)),
        static (stop, failure) => stop.Events.ReportFailure(failure, "logging the end of a producer"));

    /// <summary>Carries out those actions that follow from an answer and must not wait: first of all, dispatching the next calls.</summary>
    public void ExecuteFirst(PoolActions following) => _executor.ExecuteFirst(following);

    /// <summary>Carries out the other actions, after the answered calls have their outcomes.</summary>
    public void ExecuteRest(PoolActions following) => _executor.ExecuteRest(following);

    public void Dispose() => _timer.Dispose();

    /// <summary>Time has passed, or the host may have capacity for workers again.</summary>
    public void Tick()
    {
        var actions = _executor.Rent();
        lock (_gate)
        {
            if (_timer.Fired(Now))
            {
                PoolDecisions.Resume(_table, Now);
            }

            SharedMemoryEvents.Progress(_table, _clock, actions);
            PoolDecisions.Tick(_table, Now, actions);
            Conclude_NeedsLock(actions);
        }

        _executor.Execute(actions);
    }

    // For example without memory. The work of the tick is still to be done.
    private void OnTickFailed(Exception failure)
    {
        lock (_gate)
        {
            _timer.Set(Now + TickPause, Now);
        }

        ReportFailure(failure, "handling a timer");
    }

    /// <summary>Logs that a callback of the pool failed; it is reported nowhere else.</summary>
    public void ReportFailure(Exception failure, string work) =>
        _log.Write((_definition.Name, failure, work), static (logger, callback) => PoolLog.CallbackFailed(logger, callback.failure, callback.Name, callback.work));

    private CallState AddCall(PoolCall call, Decision<PoolCall> decision)
    {
        var actions = _executor.Rent();
        CallState state;
        var token = call.Token;
        bool isCancelled;
        lock (_gate)
        {
            decision(_table, call, Now, actions);
            isCancelled = IsCancelled_NeedsLock(call, actions);
            state = isCancelled ? CallState.Ended : call.State;
            Conclude_NeedsLock(actions);
        }

        // From here on the entry may belong to another call, unless its caller has cancelled.
        _executor.Execute(actions);
        if (isCancelled)
        {
            call.Abandon(new OperationCanceledException(token));
        }

        return state;
    }

    // The token fired before the call was known here, and nothing reacted to it.
    private bool IsCancelled_NeedsLock(PoolCall call, PoolActions actions)
    {
        if (!call.Token.IsCancellationRequested || call.State == CallState.Ended)
        {
            return false;
        }

        call.CancelReason = call.IsLate(_definition.Time) ? CancelReason.Deadline : CancelReason.Caller;
        return PoolDecisions.Cancel(_table, call, Now, actions);
    }

    /// <summary>Handles one event: decides it under the lock, and carries out its actions after that.</summary>
    public void Decide<T>(T subject, Decision<T> decision, string cause = "")
    {
        var actions = _executor.Rent();
        lock (_gate)
        {
            decision(_table, subject, Now, actions);
            Conclude_NeedsLock(actions);
        }

        _executor.Execute(actions, cause);
    }

    // An event that follows from an action: its own actions are added at the end of the list.
    private void Add<T>(T subject, PoolActions actions, Decision<T> decision)
    {
        lock (_gate)
        {
            var first = actions.Count;
            decision(_table, subject, Now, actions);
            Conclude_NeedsLock(actions, first);
        }
    }

    // Such an exit may pause the pool for a while; then the reason is needed.
    private void NoteUnused_NeedsLock(IPoolWorker worker)
    {
        _executor.LastFailure = WhyUnused_NeedsLock(worker) ?? _executor.LastFailure;
    }

    private static FailedStart? WhyUnused_NeedsLock(IPoolWorker worker) =>
        worker.Entry is { State: WorkerState.Idle or WorkerState.Busy or WorkerState.Silent, HasStarted: false } ? FailedStart.EndedUnused(worker.ProcessId, worker.ReportId) : null;

    private Exception WhyNot_NeedsLock() => _table.IsDraining ? Exceptions.Draining() : _executor.LastFailure!.ToException(_definition.Name);

    // Every event concludes with this: what must be done before anything else is decided, capacity and processes for the workers that are
    // wanted, and the timer for the next tick.
    private void Conclude_NeedsLock(PoolActions actions, int first = 0)
    {
        for (var i = first; i < actions.Count; i++)
        {
            switch (actions[i].Kind)
            {
                case PoolActionKind.Dispatch:
                    // In the order of the ids: the thread that carries this action out may be later than the thread that carries out the next.
                    ((IPoolWorker)actions[i].Worker!.Process!).Assign((PoolCall)actions[i].Call!, actions[i].CallId);
                    break;
                case PoolActionKind.Withdraw:
                    SharedMemoryEvents.Withdraw(_table, actions[i].Worker!, _clock, actions);
                    break;
            }
        }

        if (_table.Wanted > 0)
        {
            Grow_NeedsLock(actions);
        }

        if (Readiness.Count > 0)
        {
            Readiness.Check(_table, Now, WhyNot_NeedsLock);
        }

        Volatile.Write(ref _hasSpace, _table.HasPlace);
        Volatile.Write(ref _comparesCalls, _table.Quarantine.IsComparing);

        if (PoolDecisions.NextTick(_table) is { } next)
        {
            _timer.Set(next, Now);
        }
    }

    private void Grow_NeedsLock(PoolActions actions)
    {
        var capacity = _definition.Capacity?.Reserve(_table.Wanted) ?? _table.Wanted;
        var started = PoolDecisions.Grow(_table, capacity, Now, actions);
        _definition.Capacity?.Release(capacity - started);
        for (var i = actions.Count - started; i < actions.Count; i++)
        {
            var entry = actions[i].Worker!;
            var worker = _createWorker(Generations.Of(entry.Generation), this, entry);
            entry.Process = worker;
            _lives.RemoveAll(static life => life.IsCompleted);
            _lives.Add(worker.Ended);
        }
    }
}
