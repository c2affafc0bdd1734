using Weir.Execution.Processes;

namespace Weir.Tests.Processes;

/// <summary>
/// A pool with invented workers and callers under virtual time: the same decisions as the real one, every delay and every
/// fault drawn from a seed. After every event the table is counted anew; at the end every call has had exactly one ending.
/// </summary>
internal sealed class PoolSimulation
{
    private readonly Random _random;
    private readonly PoolTable _table;
    private readonly PoolActions _actions = new();
    private readonly PriorityQueue<Action, (TimeSpan At, long Order)> _events = new();
    private readonly List<SimulatedCall> _calls = [];
    private readonly int[] _lives;
    private readonly bool[] _channelEnded;
    private readonly int _arrivals;
    private readonly double _faults;
    private TimeSpan _now;
    private TimeSpan? _tick;
    private long _order;
    private bool _drained;
    private string _last = "";

    public PoolSimulation(int seed)
    {
        _random = new Random(seed);
        var max = _random.Next(1, 6);
        _table = new PoolTable(new PoolSettings
        {
            MinWorkers = _random.Next(0, max + 1),
            MaxWorkers = max,
            QueueLimit = _random.Next(0, 6),
            IdleTimeout = _random.Next(4) == 0 ? null : Milliseconds(1000),
            CancelGrace = Milliseconds(200),
            RestartBudget = _random.Next(1, 6),
            MostStarting = _random.Next(1, 4),
        });
        _lives = new int[max];
        _channelEnded = new bool[max];
        _arrivals = _random.Next(20, 80);
        _faults = _random.Next(3) switch { 0 => 0, 1 => 0.05, _ => 0.3 };
    }

    public int Calls => _calls.Count;

    public int Delivered => _calls.Count(call => call.How == "answered");

    public void Run()
    {
        // 1. Callers come in bursts; at some moment the pool drains, sometimes it is aborted.
        Apply("open", (now, actions) => PoolDecisions.Open(_table, now, actions));
        var at = 0;
        for (var i = 0; i < _arrivals; i++)
        {
            at += _random.Next(3) == 0 ? _random.Next(300) : 0;
            After(at, Arrive);
        }

        var end = _random.Next(at + 2000);
        After(end, () => Apply("drain", (now, actions) => PoolDecisions.Drain(_table, now, actions)));
        if (_random.Next(5) == 0)
        {
            After(end + _random.Next(500), () => Apply("abort", (now, actions) => PoolDecisions.Abort(_table, now, actions)));
        }

        // 2. Until nothing is left to happen.
        for (var steps = 0; _events.TryDequeue(out var next, out var key); steps++)
        {
            Check(steps < 100_000, "it does not end");
            _now = key.At;
            next();
            Ticked();
        }

        // 3. Drained, and each call has had its one ending.
        Check(_drained, "never drained");
        foreach (var call in _calls)
        {
            Check(call.Endings == 1, $"call {call.Number} has {call.Endings} endings");
        }
    }

    private void Arrive()
    {
        var call = new SimulatedCall(_calls.Count);
        _calls.Add(call);
        Apply($"arrive {call.Number}", (now, actions) => PoolDecisions.Arrive(_table, call, waits: _random.Next(2) == 0, now, actions));
        if (call.State == CallState.Admitted)
        {
            After(_random.Next(3), () => Submit(call));
        }

        if (_random.Next(4) == 0)
        {
            After(_random.Next(600), () => Leave(call));
        }
    }

    private void Submit(SimulatedCall call) =>
        Apply($"submit {call.Number}", (now, actions) => PoolDecisions.Submit(_table, call, now, actions));

    private void Leave(SimulatedCall call) => Apply($"leave {call.Number}", (now, actions) =>
    {
        if (PoolDecisions.Leave(_table, call, now, actions))
        {
            call.End("left");
        }
    });

    private void Apply(string what, Action<TimeSpan, PoolActions> decide)
    {
        _last = what;
        _actions.Clear();
        decide(_now, _actions);
        while (_table.Wanted > 0)
        {
            PoolDecisions.Grow(_table, int.MaxValue, _now, _actions);
        }

        CheckTable();
        for (var i = 0; i < _actions.Count; i++)
        {
            Carry(_actions[i]);
        }
    }

    private void Carry(PoolAction action)
    {
        var call = (SimulatedCall?)action.Call;
        var worker = action.Worker;
        switch (action.Kind)
        {
            case PoolActionKind.Admit:
                After(_random.Next(3), () => Submit(call!));
                break;

            case PoolActionKind.Spawn:
                Spawn(worker!);
                break;

            case PoolActionKind.Dispatch:
                Check(worker!.State == WorkerState.Busy && worker.Sent.First == call, "dispatched to a worker that does not have it");
                Serve(worker);
                break;

            case PoolActionKind.Cancel:
                if (_random.Next(2) == 0)
                {
                    Answer(worker!, call!, _random.Next(100));
                }

                break;

            case PoolActionKind.Retire:
                Check(worker!.Sent.Count == 0, "a busy worker retires");
                if (!Fault())
                {
                    EndChannel(worker, _random.Next(20));
                }

                break;

            case PoolActionKind.Kill:
                Kill(worker!);
                break;

            case PoolActionKind.Drained:
                Check(!_drained, "drained twice");
                Check(_table.Occupied == 0 && _calls.TrueForAll(c => c.Endings == 1), "drained early");
                _drained = true;
                break;

            default:
                call!.End(action.Kind.ToString());
                break;
        }
    }

    // ---- one life of a worker ----

    private void Spawn(WorkerEntry worker)
    {
        var life = ++_lives[worker.Index];
        _channelEnded[worker.Index] = false;
        var how = Fault() ? _random.Next(2) : 2;
        During(worker, life, _random.Next(5, 60), () =>
        {
            if (worker.State != WorkerState.Starting)
            {
                return;
            }

            if (how == 2)
            {
                Apply("ready", (now, actions) => WorkerDecisions.Ready(_table, worker, false, now, actions));
                if (Fault())
                {
                    EndChannel(worker, _random.Next(300));
                }
            }
            else
            {
                FailStart(worker, isDefinite: how == 1);
            }
        });
    }

    private void FailStart(WorkerEntry worker, bool isDefinite)
    {
        Apply("start failed", (now, actions) => WorkerDecisions.StartFailed(_table, worker, isDefinite, now, actions));
        Reap(worker);
    }

    private void Serve(WorkerEntry worker)
    {
        var call = worker.Sent.First!;
        During(worker, _random.Next(5), () =>
        {
            if (worker.Sent.First != call || call.State != CallState.Sent || call.HasStarted || _channelEnded[worker.Index])
            {
                return;
            }

            if (Fault())
            {
                Violate(worker);
                return;
            }

            Started(worker);
            if (!Fault())
            {
                Answer(worker, call, _random.Next(80));
            }
            else if (_random.Next(2) == 0)
            {
                EndChannel(worker, _random.Next(50));
            }
            else if (_random.Next(2) == 0)
            {
                After(50, () => Violate(worker));
            }
            else
            {
                // Stuck: only its caller's leaving, or an abort, ends it.
                After(_random.Next(1000), () => Leave((SimulatedCall)call));
            }
        });
    }

    private void Started(WorkerEntry worker) =>
        Apply("started", (now, actions) => WorkerDecisions.Started(_table, worker, worker.StartedThrough + 1, now, now, actions));

    private void Answer(WorkerEntry worker, CallEntry call, int delay) => During(worker, delay, () =>
    {
        if (worker.Sent.First != call || call.State is not CallState.Sent || _channelEnded[worker.Index])
        {
            return;
        }

        if (!call.HasStarted)
        {
            Started(worker);
        }

        Apply("answered", (now, actions) =>
        {
            Span<Answer> answers = [new Answer(call.CallId)];
            WorkerDecisions.Answered(_table, worker, answers, default, now, actions);
            if (answers[0].IsEnding)
            {
                ((SimulatedCall)call).End("answered");
            }
        });
    });

    private void Violate(WorkerEntry worker)
    {
        if (worker.State == WorkerState.Busy && !_channelEnded[worker.Index])
        {
            _channelEnded[worker.Index] = true;
            Apply("violated", (now, actions) => WorkerDecisions.Violated(_table, worker, worker.StartedThrough, now, actions));
            Reap(worker);
        }
    }

    private void Kill(WorkerEntry worker)
    {
        if (worker.State == WorkerState.Starting)
        {
            During(worker, _random.Next(10), () =>
            {
                if (worker.State == WorkerState.Starting)
                {
                    FailStart(worker, isDefinite: false);
                }
            });
        }

        EndChannel(worker, _random.Next(10));
    }

    private void EndChannel(WorkerEntry worker, int delay) => During(worker, delay, () =>
    {
        if (!_channelEnded[worker.Index] && worker.State is WorkerState.Idle or WorkerState.Busy or WorkerState.Finishing or WorkerState.Silent or WorkerState.Retiring)
        {
            _channelEnded[worker.Index] = true;
            Apply("channel ended", (now, actions) => WorkerDecisions.ChannelEnded(_table, worker, worker.StartedThrough, now, actions));
            Reap(worker);
        }
    });

    private void Reap(WorkerEntry worker) => During(worker, _random.Next(20), () =>
    {
        if (worker.State == WorkerState.Ending)
        {
            _lives[worker.Index]++;
            Apply("reaped", (now, actions) => WorkerDecisions.Reaped(_table, worker, 0, new WorkerEntry(worker.Index), now, actions));
        }
    });

    // ---- time ----

    private void During(WorkerEntry worker, int delay, Action action) => During(worker, _lives[worker.Index], delay, action);

    private void During(WorkerEntry worker, int life, int delay, Action action) => After(delay, () =>
    {
        if (_lives[worker.Index] == life)
        {
            action();
        }
    });

    private void After(int milliseconds, Action action) => _events.Enqueue(action, (_now + Milliseconds(milliseconds), _order++));

    // The pool's one timer.
    private void Ticked()
    {
        if (PoolDecisions.NextTick(_table) is { } at && (_tick is null || at < _tick))
        {
            _tick = at;
            _events.Enqueue(
                () =>
                {
                    _tick = null;
                    Apply("tick", (now, actions) => PoolDecisions.Tick(_table, now, actions));
                },
                (at < _now ? _now : at, _order++));
        }
    }

    private bool Fault() => _random.NextDouble() < _faults;

    private static TimeSpan Milliseconds(int count) => TimeSpan.FromMilliseconds(count);

    // ---- what must hold after every event ----

    private void CheckTable()
    {
        int Count(WorkerState state) => _table.Workers.Count(worker => worker.State == state);
        Check(_table.Occupied == _table.Workers.Length - Count(WorkerState.Absent), "occupied is miscounted");
        Check(_table.Occupied <= _table.Settings.MaxWorkers, "above the maximum");
        Check(_table.Starting == Count(WorkerState.Starting) && _table.Busy == Count(WorkerState.Busy) && _table.Idle.Count == Count(WorkerState.Idle), "states are miscounted");
        Check(_table.Starting <= _table.Settings.MostStarting, "too many start at once");
        Check(_table.InPool == _calls.Count(call => call.State is CallState.Admitted or CallState.Queued or CallState.Sent or CallState.Lost), "places are miscounted");
        Check(_table.InPool <= _table.Settings.Places, "more calls than places");
        Check(_table.Queue.Count == _calls.Count(call => call.State == CallState.Queued), "the queue is miscounted");
        Check(_table.Waiters.Count == _calls.Count(call => call.State == CallState.Waiting), "the waiters are miscounted");
        Check(_table.Queue.Count == 0 || _table.Idle.Count == 0, "a worker idles while a call waits");
        Check(_table.Waiters.Count == 0 || _table.InPool == _table.Settings.Places, "a caller waits while there is a place");
        Check(
            _table.Queue.Count <= _table.Starting || _table.Occupied == _table.Settings.MaxWorkers || _now <= _table.Restarts.ClosedUntil
            || _table.Starting >= (_table.Restarts.IsProbing ? 1 : _table.Settings.MostStarting),
            "a call waits and nothing grows");
        Check(_table.Queue.Count == 0 || _table.Occupied > 0 || !_table.Restarts.IsClosed(_now), "a call waits for nobody");
        foreach (var worker in _table.Workers)
        {
            Check(worker.State == WorkerState.Busy == (worker.Sent.First is { State: CallState.Sent } && worker.State is not (WorkerState.Finishing or WorkerState.Ending)), "busy without a call, or a call without busy");
        }
    }

    private void Check(bool holds, string what)
    {
        if (!holds)
        {
            throw new InvalidOperationException($"{what}, at {_now.TotalMilliseconds} ms after '{_last}'");
        }
    }

    private sealed class SimulatedCall(int number) : CallEntry
    {
        public int Number { get; } = number;

        public int Endings { get; private set; }

        public string? How { get; private set; }

        public void End(string how)
        {
            Endings++;
            How = how;
        }
    }
}
