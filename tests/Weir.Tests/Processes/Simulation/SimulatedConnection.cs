using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes.Simulation;

/// <summary>
/// The host's side of one worker, from the decision to start it until it is reaped: carries out what the pool decides for it, at once or after a
/// delay, and reports to the pool what the worker sends. Here every action that affects a worker is checked by the <see cref="Oracle"/>.
/// </summary>
internal sealed class SimulatedConnection : IPoolWorker, IWorkerProgress, IAnswerCompletion
{
    private static readonly FailedStart NotReady = new("WEIR", "start", "It did not become ready.", 0);

    private readonly World _world;
    private readonly SimulatedPool _pool;
    private readonly SimulatedWorker _worker;

    // Bounded by the calls of the run: what was assigned and is not sent, what was withdrawn and is still referred to, and what is being reported.
    private readonly Queue<(ulong Id, SimulatedCall Call)> _assigned = new();
    private readonly List<SimulatedCall> _lent = [];
    private Answer[] _answers = [];
    private (TimeSpan Busy, long Done) _worked;
    private ulong _written;
    private bool _isReady;
    private bool _isViolated;
    private bool _isStopped;
    private bool _isReleased;
    private bool _hasNext;
    private bool _isClassified;

    public SimulatedConnection(World world, SimulatedPool pool, WorkerEntry entry)
    {
        (_world, _pool, Entry) = (world, pool, entry);
        _worker = new SimulatedWorker(world, pool, entry, this);
        pool.Place(_worker);
        Oracle.Restarts.Starts(entry);
        Oracle.Generations.Starts(entry);
    }

    public WorkerEntry Entry { get; }

    public IWorkerProgress? Progress => _isReady && HasSharedMemory ? this : null;

    public int ProcessId => (int)Entry.Serial;

    public string ReportId => ToString();

    public bool WasEndedFromOutside => _isClassified && _worker.WasEndedFromOutside && !Is(Mutation.BlamesOutsiders);

    private Oracle Oracle => _pool.Oracle;

    private PoolCore Core => _pool.Core;

    private bool HasWithdrawn => Entry.Withdrawn.First <= Entry.Withdrawn.Last;

    private bool HasSharedMemory => _world.Scenario.HaveSharedMemory;

    public override string ToString() => _worker.ToString();

    // ---- what the pool decides ----

    public long? ReadPrivateMemory() => null;

    public void Start()
    {
        Note("is started");
        var how = Entry.Generation >= _pool.BreaksAt && _world.Chance(1) ? 0 : _world.InjectsFault() ? _world.Random.Next(3) : 3;
        _world.OnHost(_world.Random.Next(5, 40), () => BeginLife(how));
    }

    public void Assign(CallEntry call, ulong callId)
    {
        var assigned = (SimulatedCall)call;
        Oracle.Dispatched(_worker, assigned, callId);
        _assigned.Enqueue((callId, assigned));
        _hasNext = true;
    }

    public void WriteAssigned() => _written = Entry.LastCallId;

    public bool Borrows(ulong first)
    {
        Oracle.Holds(_written == Entry.LastCallId, "calls are written before they are withdrawn", ToString());
        if (_world.Random.Next(2) == 0)
        {
            return false;
        }

        for (var call = Entry.Sent.First; call is not null; call = call.Next)
        {
            if (call.CallId >= first)
            {
                _lent.Add((SimulatedCall)call);
                ((SimulatedCall)call).IsLent = true;
            }
        }

        return !Is(Mutation.ForgetsBorrowed);
    }

    public void ReturnWithdrawn(PoolActions actions)
    {
        if (!HasWithdrawn)
        {
            return;
        }

        if (_world.Random.Next(2) == 0)
        {
            Carry(() => Return(actions));
            return;
        }

        // The thread is preempted: other events come in between, the worker's end for example.
        if (_world.InjectsFault())
        {
            _worker.Die("with withdrawn calls");
        }

        _world.OnHost(_world.Scenario.Preemption * _world.Random.NextDouble(), () =>
        {
            _pool.Begin($"{this} returns what was withdrawn");
            var following = Core.Apply(0, static (_, _, _, _) => { });
            if (HasWithdrawn)
            {
                Return(following);
            }

            Core.Execute(following);
        });
    }

    public void Dispatch() => Carry(() =>
    {
        _hasNext = false;
        _world.Soon(Flush);
    });

    public void Cancel(CallEntry call, ulong callId)
    {
        Note($"is asked to cancel {call}");
        _world.Soon(() => _worker.Cancel(callId));
    }

    public void Grant(ulong callId, uint bytes) => _worker.Grant(callId, bytes);

    public void Ping()
    {
        Note("is sent a PING");
        _world.Soon(() =>
        {
            // It wakes both sides.
            _worker.Ping();
            _world.OnHost(_world.Latency(), OnReadable);
        });
    }

    public void Retire() => Carry(() =>
    {
        Note("is asked to exit");
        Oracle.Retires(_worker);
        _world.Soon(_worker.Drain);
    });

    public void Kill() => Carry(() =>
    {
        Note($"is killed: {Entry.Killed}");
        Oracle.Kills(_worker);
        if (Entry.Killed != KillReason.IgnoredCancel || !Is(Mutation.NeverKills))
        {
            _worker.Kill();
        }
    });

    // On another thread, and too late: what failed is recorded where it failed.
    public void OnActionFailed(Exception failure)
    {
    }

    public void RecordAnswers(ReadOnlySpan<Answer> answers)
    {
    }

    public void RecordEnd(ulong startedThrough)
    {
        if (!_isViolated || _isClassified)
        {
            return;
        }

        // What it has started when it broke the protocol.
        Oracle.Restarts.Dies(_worker);
        Oracle.Restarts.Hears(_worker, startedThrough);
        Oracle.Quarantine.Died(_worker, startedThrough);
        for (var call = HasSharedMemory ? null : Entry.Sent.First; call is not null; call = call.Next)
        {
            ((SimulatedCall)call).MayHaveStarted = true;
        }

        if (_isStopped)
        {
            Oracle.Restarts.IsDead(_worker, startedThrough);
        }
    }

    // ---- what the worker records in shared memory ----

    public bool MissedWake
    {
        get
        {
            _pool.Time.MayFail();
            return (_worker.IsAsleep || _worker.IsUnheard) && !Is(Mutation.MissesWakes);
        }
    }

    public ulong StartedThrough(ulong atLeast, ulong lastSent)
    {
        _pool.Time.MayFail();
        Oracle.Restarts.Hears(_worker, _worker.Started);
        return !_isClassified ? _worker.Started : _world.Mutation switch
        {
            Mutation.LosesUnstarted => lastSent,
            Mutation.ForgetsStarted => 0,
            _ => _worker.Started,
        };
    }

    public ulong StartOf(ulong callId) => callId == _worker.Started ? (ulong)_worker.StartedAt.Ticks * TimeSpan.NanosecondsPerTick : 0;

    public bool TryWithdraw(ulong atLeast, ulong lastSent, out ulong first)
    {
        first = Is(Mutation.NeverWithdraws) ? 0 : _worker.Withdraw(atLeast + 1, lastSent);
        Note($"has {first} to {lastSent} withdrawn");
        _isStopped |= _isViolated && first > 0;
        return first > 0;
    }

    // ---- what its readers report ----

    /// <summary>The channel is readable: reads everything.</summary>
    public void OnReadable()
    {
        _worker.IsUnheard = false;
        var answers = new List<Message>();
        while (_worker.Wire.TryDequeue(out var message))
        {
            if (message.Kind == MessageKind.Answer)
            {
                answers.Add(message);
                continue;
            }

            Deliver(answers);
            Handle(message);
        }

        Deliver(answers);
    }

    public void OnPong()
    {
        Begin("answers a PING");
        Core.Ponged(this);
    }

    /// <summary>The end of the channel: reads the rest; then, once it is certain that nothing runs there, salvages shared memory, then the exit.</summary>
    public void OnEnd()
    {
        OnReadable();
        Close();
        Oracle.Restarts.Dies(_worker);
        Begin("has ended");
        Core.ChannelEnded(this, isReaped: false);

        // How it ended is known when the process has exited: other events come in between.
        _world.OnHost(_world.Latency(), Finish);
    }

    void IAnswerCompletion.Release() => _isReleased = !Is(Mutation.ForgetsAnswered);

    void IAnswerCompletion.Complete(int count)
    {
        Oracle.Holds(_isReleased, "the memory of answered calls is released before their outcomes", ToString());
        Oracle.Holds(!_hasNext, "the next calls are sent before the outcomes", ToString());
        for (var i = 0; i < count; i++)
        {
            var call = (SimulatedCall)_answers[i].Call!;
            call.IsUnknown = false;
            if (_answers[i].IsOutcome || Is(Mutation.AnswersTwice))
            {
                call.End("answered");
            }
        }
    }

    private bool Is(Mutation mutation) => _world.Mutation == mutation;

    private void Note(string what)
    {
        if (_world.Traces)
        {
            _world.Note($"  {this} {what}");
        }
    }

    // The core catches what an action throws.
    private void Carry(Action action)
    {
        try
        {
            action();
        }
        catch (Exception failure) when (failure is not SimulationFault)
        {
            _world.Fault ??= new SimulationFault("no action of the pool fails", $"{this}: {failure}");
            throw;
        }
    }

    private void Begin(string what) => _pool.Begin(_world.Traces ? $"{this} {what}" : what);

    // ---- its start ----

    private void BeginLife(int how)
    {
        if (!_worker.IsAlive || Entry.State != WorkerState.Starting)
        {
            return;
        }

        switch (how)
        {
            case 0:
                FailToStart(isDefinite: true);
                _worker.Die("it cannot start");
                return;

            case 1:
                _worker.Die("while it started");
                return;

            case 2:
                Begin("ends its channel");
                Core.ChannelEnded(this, isReaped: false);
                break;
        }

        _isReady = true;
        var isWanted = Entry is { State: WorkerState.Starting, IsMute: false, Killed: KillReason.None };
        if (isWanted)
        {
            Oracle.Generations.Ready(Entry);
        }

        Begin("is ready");
        Oracle.Holds(Core.Ready(this) == isWanted, "a worker that was given up before is not used", ToString());
        if (!isWanted)
        {
            _worker.Die("it was killed before it was ready");
        }
        else if (_pool.Promised.SoftMemoryBytes is { } soft)
        {
            _world.OnHost(_world.Random.Next(200), () => Measure(soft + _world.Random.Next(-500, 500)));
        }
    }

    private void FailToStart(bool isDefinite)
    {
        Oracle.Restarts.FailsToStart(_worker);
        Oracle.Generations.FailsToStart(Entry, isDefinite);
        if (isDefinite && Entry.Killed == KillReason.None)
        {
            Oracle.Readiness.CannotStart(Entry.Generation);
        }

        Begin(isDefinite ? "says why it cannot start" : "failed to start");
        Core.StartFailed(this, NotReady, isDefinite && !Is(Mutation.TriesTheBroken));
    }

    private void Measure(long bytes)
    {
        if (bytes > _pool.Promised.SoftMemoryBytes)
        {
            Oracle.Generations.Outgrew(Entry);
        }

        Begin($"holds {bytes} bytes");
        Core.Measured(this, bytes);
        if (Is(Mutation.RetiresBusy) && Entry.State == WorkerState.Busy)
        {
            Core.Decide(Entry, static (table, entry, now, actions) =>
            {
                table.Busy--;
                Retirement.Exit(table, entry, now, actions);
            });
        }
    }

    // ---- its calls ----

    private void Flush()
    {
        while (_assigned.TryDequeue(out var next))
        {
            Note($"is sent {next.Call} as {next.Id}");
            _worker.Send(next.Id, next.Call);
        }
    }

    private void Return(PoolActions actions)
    {
        TakeBack();
        Core.Returned(this, actions);
    }

    // Nothing of any call is sent from here on.
    private void Close()
    {
        _assigned.Clear();
        if (!Is(Mutation.ClosesNothing))
        {
            TakeBack();
        }
    }

    private void TakeBack()
    {
        _lent.ForEach(static call => call.IsLent = false);
        _lent.Clear();
    }

    private void Handle(Message message)
    {
        if (_worker.IsUnreadable)
        {
            return;
        }

        switch (message.Kind)
        {
            case MessageKind.Started:
                Oracle.Restarts.Hears(_worker, message.Id);
                Begin($"started {message.Call}");
                Oracle.Holds(Core.Started(this, message.Id), "a worker starts its calls in order", ToString());
                break;

            case MessageKind.Item:
                Begin($"sends item {message.Number} of {message.Call}");
                Item(message);
                break;

            default:
                _worker.IsUnreadable = _isViolated = true;
                Close();
                Begin("breaks the protocol");
                Core.Violated(this, "garbage", isUnreadable: true);
                break;
        }
    }

    private void Item(Message message)
    {
        var call = Core.Item(this, message.Id);
        Oracle.Holds(call == message.Call, "an item belongs to its call", message.Call!.ToString());
        message.Call.WasSeen |= !call!.IsCancelled;
        call.HasItems &= !Is(Mutation.RetriesAfterItems);
        message.Call.Stream!.Accept(message.Number);
    }

    private void Deliver(List<Message> messages)
    {
        if (messages.Count > 0 && !_worker.IsUnreadable)
        {
            Answered([.. messages.Select(static message => (message.Id, message.Call!))]);
        }

        messages.Clear();
    }

    private void Answered((ulong Id, SimulatedCall Call)[] answered)
    {
        var (busy, done) = _worker.Worked;
        var perCall = HasSharedMemory && done > _worked.Done ? (busy - _worked.Busy) / (done - _worked.Done) : TimeSpan.Zero;
        _worked = (busy, done);
        Oracle.Restarts.Hears(_worker, answered.Max(static answer => answer.Id));
        Begin(_world.Traces ? $"answers {string.Join(", ", answered.Select(static answer => answer.Call))}" : "answers");
        foreach (var (_, call) in answered)
        {
            Oracle.Quarantine.Answered(call);
            call.IsUnknown = Is(Mutation.ForgetsSurvivors);
        }

        _answers = [.. answered.Select(static answer => new Answer(answer.Id))];
        _isReleased = _hasNext = false;
        var count = Core.Answered(this, _answers, perCall, this);
        Oracle.Holds(count == answered.Length, "an answer belongs to a call", $"{count} of {answered.Length}");
        for (var i = 0; i < count; i++)
        {
            Oracle.Holds(_answers[i].Call == answered[i].Call, "an answer belongs to its call", $"{answered[i].Call}");
        }
    }

    // ---- its end ----

    private void Finish()
    {
        // 1. The results that it had finished.
        if (!_worker.IsUnreadable && HasSharedMemory && _worker.Gathered.Count > 0 && !Is(Mutation.SalvagesNothing))
        {
            Answered([.. _worker.Gathered]);
        }

        // 2. The other calls are classified as started or not started.
        if (Entry.State == WorkerState.Starting)
        {
            FailToStart(isDefinite: false);
        }

        _isClassified = true;
        if (!_isStopped)
        {
            var started = HasSharedMemory ? _worker.Started : Entry.StartedThrough;
            Oracle.Restarts.IsDead(_worker, started);
            if (Entry.Killed == KillReason.None)
            {
                Oracle.Quarantine.Died(_worker, started, _worker.WasEndedFromOutside);
            }
        }

        Begin("is classified");
        Core.ChannelEnded(this, isReaped: true);
        _world.OnHost(_world.Latency() + 0.05, Reap);
    }

    private void Reap()
    {
        if (!Is(Mutation.ForgetsTheDead))
        {
            _pool.Release(_worker);
            Begin("is reaped");
            Core.Reaped(this, "ended");
        }
    }
}
