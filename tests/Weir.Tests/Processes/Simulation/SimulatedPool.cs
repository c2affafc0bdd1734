using Weir.Execution.Processes;

namespace Weir.Tests.Processes.Simulation;

/// <summary>
/// The host's side of one pool: brings every event to the real decisions, in the order in which a real host would, and carries
/// out what they ask for. Everything that has an outcome for a caller or a worker passes the <see cref="Oracle"/>.
/// </summary>
internal sealed class SimulatedPool
{
    private readonly World _world;
    private readonly PoolActions _actions = new();
    private readonly OperationTime[] _times;
    private TimeSpan? _tick;
    private readonly (TimeSpan Busy, long Done)[] _worked;

    public SimulatedPool(World world, int number)
    {
        _world = world;
        Number = number;
        Promised = world.Scenario.Settings();
        Table = new PoolTable(Broken(Promised, world.Mutation));
        Oracle = new Oracle(world, this);
        Workers = new SimulatedWorker?[Table.Workers.Length];
        _worked = new (TimeSpan, long)[Table.Workers.Length];
        _times = [.. world.Scenario.Operations.Select(_ => new OperationTime())];
        BreaksAt = world.Random.Next(3) == 0 ? world.Random.Next(1, 3) : int.MaxValue;
    }

    public int Number { get; }

    /// <summary>The settings as they are meant.</summary>
    public PoolSettings Promised { get; }

    public PoolTable Table { get; }

    public Oracle Oracle { get; }

    /// <summary>The processes, from their spawn until they are reaped.</summary>
    public SimulatedWorker?[] Workers { get; }

    public List<SimulatedCall> Calls { get; } = [];

    public bool IsDrained { get; private set; }

    /// <summary>From this generation on no worker can be started, while things go wrong.</summary>
    private int BreaksAt { get; }

    private bool Is(Mutation mutation) => _world.Mutation == mutation;

    // ---- what owner and time bring ----

    public void Open() => Apply("opens", PoolDecisions.Open);

    public void Drain() => Apply("drains", PoolDecisions.Drain);

    public void Abort() => Apply("is aborted", PoolDecisions.Abort);

    public void Renew() => Apply("has a new generation", PoolDecisions.Renew);

    public void Shrink() => Apply("gives room back", (table, now, actions) => PoolDecisions.Shrink(table, 1, now, actions));

    /// <summary>A tick that nobody foresaw finds nothing to do.</summary>
    public void Probe()
    {
        var foreseen = Table.NextDue;
        if (foreseen <= _world.Now || Table.Wanted > 0 || _world.Room.Cap != int.MaxValue)
        {
            return;
        }

        Apply("is looked at", PoolDecisions.Tick);
        Oracle.Probed(foreseen, _actions);
    }

    // ---- what callers bring ----

    public void Come(SimulatedCall call, bool waits)
    {
        Calls.Add(call);
        call.Time = _times[Array.IndexOf(_world.Scenario.Operations, call.Operation)];
        call.Bytes = _world.Random.Next(50, 20_000);
        if (_world.Random.Next(4) > 0)
        {
            Apply($"{call} enters", (table, now, actions) => PoolDecisions.Enter(table, call, waits, now, actions));
        }
        else
        {
            Apply($"{call} arrives", (table, now, actions) => PoolDecisions.Arrive(table, call, waits, now, actions));
            if (call.State == CallState.Admitted)
            {
                Submit(call);
            }
        }
    }

    public void Leave(SimulatedCall call)
    {
        if (call.State is CallState.New or CallState.Ended)
        {
            return;
        }

        Apply($"{call} leaves", (table, now, actions) =>
        {
            if (call is { State: CallState.Sent, CallerGone: false })
            {
                call.GoneAt = now;
                Look(call.Worker!, actions);
                if (Is(Mutation.CountsGraceFromLeaving))
                {
                    WorkerDecisions.Started(table, call.Worker!, call.CallId, now, now, actions);
                }
            }

            if (PoolDecisions.Leave(table, call, now, actions))
            {
                Oracle.Ends(call, "left");
            }
        });
    }

    private void Submit(SimulatedCall call) => _world.Time.After(_world.Random.NextDouble() * 3, () =>
        Apply($"{call} is submitted", (table, now, actions) => PoolDecisions.Submit(table, call, now, actions)));

    // ---- what is heard of workers ----

    /// <summary>There is something to read: all that is there.</summary>
    public void OnReadable(SimulatedWorker worker)
    {
        var answers = new List<Message>();
        while (worker.Wire.TryDequeue(out var message))
        {
            if (message.Kind == MessageKind.Answer)
            {
                answers.Add(message);
                continue;
            }

            Tell(worker, answers);
            Hear(worker, message);
        }

        Tell(worker, answers);
    }

    public void OnPong(SimulatedWorker worker) => Apply($"{worker} answers a PING", (table, now, actions) => WorkerDecisions.Ponged(table, worker.Entry, now, actions));

    /// <summary>The end of the channel: what is left to read; then, once it is certain that nothing runs there, what is left in the page, and the end.</summary>
    public void OnEnd(SimulatedWorker worker)
    {
        OnReadable(worker);
        if (worker.Entry.State == WorkerState.Starting)
        {
            Apply($"{worker} is mute", (table, now, actions) => WorkerDecisions.ChannelEnded(table, worker.Entry, 0, now, actions));
        }
        else if (!worker.IsDeaf)
        {
            if (_world.Scenario.HavePages)
            {
                Apply($"{worker} has ended", (table, now, actions) => WorkerDecisions.Closing(table, worker.Entry, now, actions));
            }

            // Where only the end of the process is certain, others come in between.
            _world.Time.After(_world.Scenario.HavePages ? _world.Latency() : 0, () => Salvage(worker));
        }

        _world.Time.After((2 * _world.Scenario.Latency) + 0.05, () => Reap(worker));
    }

    private void Hear(SimulatedWorker worker, Message message)
    {
        if (worker.IsDeaf)
        {
            return;
        }

        switch (message.Kind)
        {
            case MessageKind.Started:
                Apply($"{worker} started {message.Call}", (table, now, actions) => WorkerDecisions.Started(table, worker.Entry, message.Id, now, now, actions));
                break;

            case MessageKind.Item:
                Apply($"{worker} sends an item of {message.Call}", (_, _, _) =>
                {
                    var call = WorkerDecisions.Item(worker.Entry, message.Id);
                    Oracle.Holds(call == message.Call, "an item belongs to its call", message.Call!.ToString());
                    message.Call.WasSeen |= !call!.CallerGone;
                    call.HasItems &= !Is(Mutation.RetriesAfterItems);
                });
                break;

            default:
                worker.IsDeaf = true;
                Apply($"{worker} breaks the protocol", (table, now, actions) => Violated(table, worker, now, actions));
                break;
        }
    }

    // Where it can be kept from starting anything more, what it has not started need not wait for its end.
    private void Violated(PoolTable table, SimulatedWorker worker, TimeSpan now, PoolActions actions)
    {
        var first = _world.Scenario.HavePages ? worker.Recall(1, worker.Entry.LastCallId) : 0;
        var through = first > 0 ? first - 1 : _world.Scenario.HavePages ? worker.Started : worker.Entry.LastCallId;
        WorkerDecisions.Violated(table, worker.Entry, through, now, actions);
        if (first > 0)
        {
            WorkerDecisions.ChannelEnded(table, worker.Entry, through, now, actions);
        }
    }

    private void Tell(SimulatedWorker worker, List<Message> messages)
    {
        if (messages.Count > 0 && !worker.IsDeaf)
        {
            Answered(worker, [.. messages.Select(message => (message.Id, message.Call!))]);
        }

        messages.Clear();
    }

    private void Answered(SimulatedWorker worker, (ulong Id, SimulatedCall Call)[] told) => Apply($"{worker} answers {string.Join(", ", told.Select(answer => answer.Call))}", (table, now, actions) =>
    {
        Answer[] answers = [.. told.Select(answer => new Answer(answer.Id))];
        var (busy, done) = worker.Worked;
        var before = _worked[worker.Entry.Index];
        var perCall = _world.Scenario.HavePages && done > before.Done ? (busy - before.Busy) / (done - before.Done) : TimeSpan.Zero;
        _worked[worker.Entry.Index] = (busy, done);
        var count = WorkerDecisions.Answered(table, worker.Entry, answers, perCall, now, actions);
        Oracle.Holds(count == answers.Length, "an answer belongs to a call", $"{count} of {answers.Length}");
        for (var i = 0; i < count; i++)
        {
            Oracle.Holds(answers[i].Call == told[i].Call, "an answer belongs to its call", told[i].Call.ToString());
            if (answers[i].IsEnding || Is(Mutation.AnswersTwice))
            {
                Oracle.Ends(told[i].Call, "answered");
            }
        }
    });

    private void Salvage(SimulatedWorker worker)
    {
        // 1. What it had finished.
        if (_world.Scenario.HavePages && worker.Gathered.Count > 0 && !Is(Mutation.SalvagesNothing))
        {
            Answered(worker, [.. worker.Gathered]);
        }

        // 2. The rest is attributed.
        var through = !_world.Scenario.HavePages ? worker.Entry.StartedThrough
            : Is(Mutation.LosesUnstarted) ? worker.Entry.LastCallId
            : Is(Mutation.ForgetsStarted) ? 0
            : worker.Started;
        Apply($"{worker} is attributed, started through {through}", (table, now, actions) => WorkerDecisions.ChannelEnded(table, worker.Entry, through, now, actions));
    }

    private void Reap(SimulatedWorker worker)
    {
        if (Is(Mutation.ForgetsTheDead))
        {
            return;
        }

        if (worker.Entry.State == WorkerState.Starting)
        {
            Apply($"{worker} failed to start", (table, now, actions) => WorkerDecisions.StartFailed(table, worker.Entry, isDefinite: false, now, actions));
        }

        Workers[worker.Entry.Index] = null;
        _worked[worker.Entry.Index] = default;
        _world.Room.Return(1);
        Apply($"{worker} is reaped", (table, now, actions) => WorkerDecisions.Reaped(
            table, worker.Entry, _world.Scenario.HavePages ? worker.Started : 0, new WorkerEntry(worker.Entry.Index), now, actions));
    }

    // ---- how an event happens ----

    private void Apply(string what, Action<PoolTable, TimeSpan, PoolActions> decide)
    {
        // 1. Decided under the lock: the event, room for the workers it wants, and what is taken back by compare-and-swap.
        if (_world.Traces)
        {
            _world.Note($"pool {Number}: {what}");
        }

        _actions.Clear();
        decide(Table, _world.Now, _actions);
        Grow();
        for (var i = 0; i < _actions.Count; i++)
        {
            if (_actions[i].Kind == PoolActionKind.Recall)
            {
                Recall(_actions[i]);
                Grow();
            }
        }

        Oracle.Look(what);

        // 2. Carried out afterwards.
        for (var i = 0; i < _actions.Count; i++)
        {
            Carry(_actions[i]);
        }

        if (Is(Mutation.DrainsEarly) && Table is { IsDraining: true, InPool: 0 } && !IsDrained && Table.Waiters.Count == 0)
        {
            Drained();
        }

        Arm();
    }

    private void Grow()
    {
        while (Table.Wanted > 0)
        {
            var room = Is(Mutation.IgnoresRoom) ? Table.Wanted : _world.Room.Take(Table.Wanted);
            var started = PoolDecisions.Grow(Table, room, _world.Now, _actions);
            _world.Room.Return(Is(Mutation.IgnoresRoom) ? -started : room - started);
        }
    }

    private void Recall(PoolAction action)
    {
        var worker = Workers[action.Worker!.Index]!;
        var first = Is(Mutation.NeverRecalls) ? 0 : worker.Recall(action.CallId, action.Worker.LastCallId);
        if (_world.Traces)
        {
            _world.Note($"  from {worker} is taken back {first} to {action.Worker.LastCallId}");
        }

        if (first == 0)
        {
            Look(action.Worker, _actions);
        }

        var (from, to) = first == 0 ? (1UL, 0UL) : (first, action.Worker.LastCallId);
        WorkerDecisions.Recalled(Table, action.Worker, from, to, _world.Now, _actions);
    }

    // Reads its page.
    private void Look(WorkerEntry entry, PoolActions actions)
    {
        if (_world.Scenario.HavePages && Workers[entry.Index] is { } worker && worker.Entry == entry)
        {
            WorkerDecisions.Started(Table, entry, worker.Started, worker.StartedAt, _world.Now, actions);
        }
    }

    private void Carry(PoolAction action)
    {
        var call = (SimulatedCall?)action.Call;
        var worker = action.Worker is { } entry && action.Kind != PoolActionKind.Spawn ? Workers[entry.Index] : null;
        if (_world.Traces)
        {
            _world.Note($"  {action.Kind} {worker} {call} {action.CallId}");
        }

        switch (action.Kind)
        {
            case PoolActionKind.Admit:
                Submit(call!);
                break;

            case PoolActionKind.Spawn:
                Spawn(action.Worker!);
                break;

            case PoolActionKind.Dispatch:
                Oracle.Dispatched(worker!, call!, action.CallId);
                worker!.Send(action.CallId, call!);
                break;

            case PoolActionKind.Cancel:
                worker!.Cancel(action.CallId);
                break;

            case PoolActionKind.Recall:
                break;

            case PoolActionKind.Ping:
                worker!.Ping();
                break;

            case PoolActionKind.Retire:
                Oracle.Retires(worker!);
                worker!.Drain();
                break;

            case PoolActionKind.Kill:
                Oracle.Kills(worker!);
                if (worker!.Entry.Killed != KillReason.IgnoredCancel || !Is(Mutation.NeverKills))
                {
                    worker.Kill();
                }

                break;

            case PoolActionKind.Drained:
                Drained();
                break;

            default:
                Oracle.Ends(call!, action.Kind.ToString());
                break;
        }
    }

    private void Drained()
    {
        Oracle.Drained();
        IsDrained = true;
    }

    private void Spawn(WorkerEntry entry)
    {
        var worker = new SimulatedWorker(_world, this, entry);
        Oracle.Holds(Workers[entry.Index] is null, "a place has one process", worker.ToString());
        Workers[entry.Index] = worker;
        var how = entry.Generation >= BreaksAt && _world.Chance(1) ? 0 : _world.Fault() ? _world.Random.Next(3) : 3;
        _world.Time.After(_world.Random.Next(5, 40), () => Begin(worker, how));
    }

    private void Begin(SimulatedWorker worker, int how)
    {
        if (!worker.IsAlive || worker.Entry.State != WorkerState.Starting)
        {
            return;
        }

        switch (how)
        {
            case 0:
                Apply($"{worker} says why it cannot start", (table, now, actions) => WorkerDecisions.StartFailed(table, worker.Entry, isDefinite: true, now, actions));
                worker.Die("it cannot start");
                return;

            case 1:
                worker.Die("while it started");
                return;

            case 2:
                Apply($"{worker} is mute", (table, now, actions) => WorkerDecisions.ChannelEnded(table, worker.Entry, 0, now, actions));
                break;
        }

        var isWanted = false;
        Apply($"{worker} is ready", (table, now, actions) => isWanted = WorkerDecisions.Ready(table, worker.Entry, _world.Scenario.HavePages, now, actions));
        if (!isWanted)
        {
            worker.Die("it was given up before it was ready");
        }
        else if (Promised.SoftMemoryBytes is { } soft)
        {
            _world.Time.After(_world.Random.Next(200), () => Measure(worker, soft + _world.Random.Next(-500, 500)));
        }
    }

    private void Measure(SimulatedWorker worker, long bytes) => Apply($"{worker} holds {bytes} bytes", (table, now, actions) =>
    {
        WorkerDecisions.Measured(table, worker.Entry, bytes, now, actions);
        if (Is(Mutation.RetiresBusy) && worker.Entry.State == WorkerState.Busy)
        {
            table.Busy--;
            Retirement.Leave(table, worker.Entry, now, actions);
        }
    });

    // ---- the pool's one timer ----

    private void Arm()
    {
        if (PoolDecisions.NextTick(Table) is { } at && (_tick is null || at < _tick) && !Is(Mutation.ForeseesNothing))
        {
            _tick = at;
            var late = _world.Scenario.TimerDelay * _world.Random.NextDouble();
            var wait = at - _world.Now + late;
            _world.Time.After(wait > TimeSpan.Zero ? wait : TimeSpan.Zero, () => Tick(at));
        }
    }

    private void Tick(TimeSpan foreseen)
    {
        // A timer that was moved to an earlier moment does not fire for the later one.
        if (_tick != foreseen)
        {
            return;
        }

        _tick = null;
        Apply("ticks", (table, now, actions) =>
        {
            foreach (var entry in table.Workers)
            {
                Look(entry, actions);
            }

            PoolDecisions.Tick(table, now, actions);
        });
    }

    private static PoolSettings Broken(PoolSettings settings, Mutation mutation) => mutation switch
    {
        Mutation.RetriesForEver => settings with { MostRetries = 1000, PoisonKills = 0 },
        Mutation.SendsWithoutBound => settings with { LongestBacklog = TimeSpan.FromHours(1), MostBytesAhead = long.MaxValue },
        Mutation.CutsTheGrace => settings with { CancelGrace = settings.CancelGrace / 2 },
        Mutation.ExceedsMaximum => settings with { MaxWorkers = settings.MaxWorkers + 1, QueueLimit = Math.Max(0, settings.QueueLimit - settings.Concurrency) },
        Mutation.ExceedsPlaces => settings with { QueueLimit = settings.QueueLimit + 1 },
        Mutation.ForgetsTasks => settings with { MostTasks = null },
        _ => settings,
    };
}
