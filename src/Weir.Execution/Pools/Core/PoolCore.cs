using System.Diagnostics.CodeAnalysis;
using Weir.Execution.Pools.Scheduling;
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
    private readonly IWorkerCapacity? _capacity;
    private readonly Func<PoolCore, WorkerEntry, IPoolWorker> _createWorker;
    private readonly IPoolObserver _observer;
    private readonly PoolTable _table;
    private readonly PoolClock _clock;
    private readonly PoolTimer _timer;
    private readonly ActionExecutor _executor;

    // Written under _gate.
    private bool _hasSpace = true;
    private bool _comparesCalls;

    /// <param name="settings">The settings of the pool.</param>
    /// <param name="time">The clock.</param>
    /// <param name="capacity">For how many workers there is capacity; <c>null</c> for any number.</param>
    /// <param name="createWorker">Creates the worker of an entry, without starting it. Called under the pool's lock.</param>
    /// <param name="observer">Learns of events.</param>
    public PoolCore(PoolSettings settings, TimeProvider time, IWorkerCapacity? capacity, Func<PoolCore, WorkerEntry, IPoolWorker> createWorker, IPoolObserver observer)
    {
        _capacity = capacity;
        _createWorker = createWorker;
        _observer = observer;
        _table = new PoolTable(settings);
        _clock = new PoolClock(time);
        _timer = new PoolTimer(time, Tick, OnTickFailed);
        _executor = new ActionExecutor(this, observer);
    }

    /// <summary>One event: changes the table and adds the actions that follow, under the pool's lock. It neither waits nor calls back.</summary>
    public delegate void Decision<T>(PoolTable table, T subject, TimeSpan now, PoolActions actions);

    /// <summary>Completes when the pool is drained: every call has its outcome, and every process is reaped.</summary>
    public Task Drained => _executor.Drained;

    /// <summary>The time of the pool.</summary>
    public PoolClock Clock => _clock;

    /// <summary>Why callers fail that wait for a worker that cannot be started; <c>null</c> while none failed to start. Any thread.</summary>
    public FailedStart? LastFailure => _executor.LastFailure;

    private TimeSpan Now => _clock.Now;

    // ---- events from callers ----

    /// <summary>A hint, without the lock: whether a call that arrives now would get a place.</summary>
    public bool HasSpace => Volatile.Read(ref _hasSpace);

    /// <summary>A hint, without the lock: whether calls are compared with those that made workers fail.</summary>
    public bool ComparesCalls => Volatile.Read(ref _comparesCalls);

    /// <returns>The state of the call: it has a place, waits for one (<see cref="CallEntry.TryTakePlace"/>), or has its outcome.</returns>
    public CallState Arrive(CallEntry call) => AddCall(call, PoolDecisions.Arrive);

    /// <summary><see cref="Arrive"/> and <see cref="Submit"/> as one event, if there is a place; the arguments are already written.</summary>
    public CallState Enter(CallEntry call) => AddCall(call, PoolDecisions.Enter);

    /// <summary>The same as <see cref="Enter"/> for calls that arrive together, as one event.</summary>
    public void EnterAll(ReadOnlySpan<CallEntry> calls)
    {
        var actions = _executor.Rent();
        lock (_gate)
        {
            foreach (var call in calls)
            {
                PoolDecisions.Enter(_table, call, Now, actions);
                CancelIfLeft_NeedsLock(call, actions);
            }

            Conclude_NeedsLock(actions);
        }

        Execute(actions);
    }

    public void Submit(CallEntry call) => Decide(call, static (table, call, now, actions) => PoolDecisions.Submit(table, call, now, actions));

    /// <summary>A call that waited has a place: it writes its arguments, and gets a worker now or later. The actions that follow are added to a list that is being carried out.</summary>
    public void SubmitAdmitted(CallEntry call, PoolActions actions)
    {
        var failure = call.TryWrite();
        Add((call, failure), actions, static (table, written, now, actions) =>
        {
            if (written.failure is null)
            {
                PoolDecisions.Submit(table, written.call, now, actions);
            }
            else
            {
                // Its place is free for another call; if its caller cancelled before, the call has its outcome already.
                Cancel(table, written.call, written.failure, now, actions);
            }
        });

        if (failure is null)
        {
            call.OnEntered();
        }
    }

    /// <summary>The worker's frames do not refer to its withdrawn calls any more: these are queued again. The actions that follow are added to a list that is being carried out.</summary>
    public void Returned(IPoolWorker worker, PoolActions actions) => Add(worker, actions, static (table, worker, now, actions) =>
    {
        var (first, last) = worker.Entry.Withdrawn;
        worker.Entry.Withdrawn = (1, 0);
        WorkerDecisions.Withdrawn(table, worker.Entry, first, last, now, actions);
    });

    /// <summary>Cancels a call; if it has no outcome yet, <paramref name="outcome"/> is it.</summary>
    public void Cancel(CallEntry call, CancelReason reason, Exception outcome)
    {
        var actions = _executor.Rent();
        lock (_gate)
        {
            call.CancelReason = call.IsCancelled ? call.CancelReason : reason;
            if (call is { State: CallState.Sent, Worker: { } worker })
            {
                SharedMemoryEvents.Progress(_table, worker, _clock, actions);
            }

            Cancel(_table, call, outcome, Now, actions);
            Conclude_NeedsLock(actions);
        }

        Execute(actions);
    }

    /// <summary>Allows the worker of a stream to send this many more bytes of items; does nothing where no worker sends them, or its caller does not read them any more.</summary>
    public void Grant(CallEntry call, uint bytes)
    {
        IPoolWorker? worker;
        ulong callId;
        lock (_gate)
        {
            callId = call.CallId;
            worker = call is { State: CallState.Sent, IsCancelled: false } ? call.Worker!.Process : null;
        }

        worker?.Grant(callId, bytes);
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
                    _observer.CannotStart(worker.Entry.Generation, failure);
                }
            }
        });
        return failed;
    }

    /// <summary>An item of a result has arrived, or an item of a request is asked for. Called once per result stream: the reader keeps the call until it is answered.</summary>
    /// <returns>The call; <c>null</c> when the worker does not run it.</returns>
    public CallEntry? Item(IPoolWorker worker, ulong callId)
    {
        lock (_gate)
        {
            return WorkerDecisions.Item(worker.Entry, callId);
        }
    }

    /// <summary>The worker answered: all answers that were read together are one event.</summary>
    /// <param name="worker">The worker.</param>
    /// <param name="answers">What it answered.</param>
    /// <param name="perCall">How long a call took by the worker's clock; zero when it is not known.</param>
    /// <param name="completion">Completes the calls whose answer is their outcome.</param>
    /// <returns>How many of the answers are valid. If not all are, the code that calls this reports the violation.</returns>
    public int Answered(IPoolWorker worker, Span<Answer> answers, TimeSpan perCall, IAnswerCompletion completion)
    {
        // Step 8 of an isolated call (docs/architecture.md). 1. One decision for all.
        var actions = _executor.Rent();
        int count;
        lock (_gate)
        {
            var before = WhyUnused_NeedsLock(worker);
            count = WorkerDecisions.Answered(_table, worker.Entry, answers, perCall, Now, actions);
            _executor.LastFailure = count < answers.Length && before is not null ? before : _executor.LastFailure;
            worker.RecordAnswers(answers[..count]);
            Conclude_NeedsLock(actions);
        }

        try
        {
            // 2. If the worker answered before it read the whole CALL, the unsent rest must not refer to the caller's memory, nor to the entry.
            completion.Release();

            // 3. The next calls: the worker must not wait.
            _executor.ExecuteFirst(actions);
        }
        finally
        {
            // 4. The outcomes, even if a step failed: the pool counts these calls as completed already. 5. What may take longer.
            completion.Complete(count);
            _executor.ExecuteRest(actions);
        }

        return count;
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

        var through = entry.HasSharedMemory ? worker.Progress!.StartedThrough(entry.StartedThrough, entry.LastCallId) : entry.StartedThrough;
        worker.RecordEnd(through);
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
                    worker.RecordEnd(through);
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
        _capacity?.Release(1);
        Decide(
            worker,
            static (table, worker, now, actions) =>
                WorkerDecisions.Reaped(table, worker.Entry, worker.Entry.StartedThrough, new WorkerEntry(worker.Entry.Index), now, actions),
            cause);
    }

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

        Execute(actions);
    }

    // For example without memory. The work of the tick is still to be done.
    private void OnTickFailed(Exception failure)
    {
        lock (_gate)
        {
            _timer.Set(Now + TickPause, Now);
        }

        _observer.CallbackFailed(failure, "handling a timer");
    }

    // Step 3 of an isolated call (docs/architecture.md).
    private CallState AddCall(CallEntry call, Decision<CallEntry> decision)
    {
        var actions = _executor.Rent();
        CallState state;
        lock (_gate)
        {
            decision(_table, call, Now, actions);
            CancelIfLeft_NeedsLock(call, actions);
            state = call.State;
            Conclude_NeedsLock(actions);
        }

        // From here on the entry may belong to another call.
        Execute(actions);
        return state;
    }

    // The token fired before the call was known here, and nothing reacted to it.
    private void CancelIfLeft_NeedsLock(CallEntry call, PoolActions actions)
    {
        if (call.Token.IsCancellationRequested && call.State != CallState.Ended)
        {
            call.CancelReason = call.IsLate ? CancelReason.Deadline : CancelReason.Caller;
            Cancel(_table, call, new OperationCanceledException(call.Token), Now, actions);
        }
    }

    // Cancels a call, and completes it if it has no outcome yet.
    private static void Cancel(PoolTable table, CallEntry call, Exception outcome, TimeSpan now, PoolActions actions)
    {
        if (PoolDecisions.Cancel(table, call, now, actions))
        {
            call.CancelledWith = outcome;
            actions.Add(PoolActionKind.Abandon, call: call);
        }
        else if (call is { State: CallState.Sent, EndsWithItsCode: true })
        {
            // In case no worker begins it.
            call.CancelledWith ??= outcome;
        }
    }

    /// <summary>Reads the table under the lock; changes nothing.</summary>
    public TResult Read<T, TResult>(T subject, Func<PoolTable, T, TResult> read)
    {
        lock (_gate)
        {
            return read(_table, subject);
        }
    }

    /// <summary>Handles one event: decides it under the lock, and carries out its actions after that.</summary>
    public void Decide<T>(T subject, Decision<T> decision, string cause = "") => Execute(Apply(subject, decision), cause);

    /// <summary>The first half of <see cref="Decide"/>: it waits for nothing.</summary>
    /// <returns>What is to be done, by <see cref="Execute"/>.</returns>
    public PoolActions Apply<T>(T subject, Decision<T> decision)
    {
        var actions = _executor.Rent();
        lock (_gate)
        {
            decision(_table, subject, Now, actions);
            Conclude_NeedsLock(actions);
        }

        return actions;
    }

    /// <summary>The second half of <see cref="Decide"/>, without the lock; what other threads decide in between does not matter.</summary>
    /// <param name="actions">Not to be used afterwards.</param>
    /// <param name="cause">What happened to the worker whose calls fail because of it.</param>
    public void Execute(PoolActions actions, string cause = "") => _executor.Execute(actions, cause);

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
                    actions[i].Worker!.Process!.Assign(actions[i].Call!, actions[i].CallId);
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

        _observer.Decided(_table, Now, LastFailure);
        Volatile.Write(ref _hasSpace, _table.HasPlace);
        Volatile.Write(ref _comparesCalls, _table.Quarantine.IsComparing);

        if (PoolDecisions.NextTick(_table) is { } next)
        {
            _timer.Set(next, Now);
        }
    }

    private void Grow_NeedsLock(PoolActions actions)
    {
        var capacity = _capacity?.Reserve(_table.Wanted) ?? _table.Wanted;
        var started = PoolDecisions.Grow(_table, capacity, Now, actions);
        _capacity?.Release(capacity - started);
        for (var i = actions.Count - started; i < actions.Count; i++)
        {
            var entry = actions[i].Worker!;
            entry.Process = _createWorker(this, entry);
        }
    }
}
