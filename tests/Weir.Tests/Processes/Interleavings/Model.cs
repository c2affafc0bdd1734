using Weir.Execution.Pools.Scheduling;
using Weir.Tests.Processes.Simulation;

namespace Weir.Tests.Processes.Interleavings;

/// <summary>
/// Three workers and three calls, and everything that may happen next. Time advances only in steps of its own.
/// </summary>
internal sealed class Model
{
    private const int Workers = 3;
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(2);

    private readonly ModelSetup _setup;
    private readonly PoolTable _table;
    private readonly PoolActions _actions = new();
    private readonly ModelCall[] _calls;
    private readonly ModelWorker?[] _workers = new ModelWorker?[Workers];
    private TimeSpan _now;
    private int _entered;
    private int _deaths;
    private int _pauses;
    private int _leavings;
    private int _resizes;

    public Model(ModelSetup setup)
    {
        _setup = setup;
        _table = new PoolTable(new PoolSettings
        {
            MinWorkers = setup.MinWorkers,
            MaxWorkers = Workers,
            QueueLimit = 3,
            IdleTimeout = null,
            CancelGrace = TimeSpan.FromSeconds(2),
            RestartBudget = 5,
            MostStarting = Workers,
            QuarantineKills = 0,
        });
        OperationTime? time = null;
        if (setup.IsKnown)
        {
            time = new OperationTime();
            for (var i = 0; i < OperationTime.LeastSamples; i++)
            {
                time.Learn(TimeSpan.FromMicroseconds(5));
            }
        }

        _calls = [.. Enumerable.Range(0, 3).Select(number => new ModelCall(number, number == setup.Idempotent, time).Prepare())];
        Apply(PoolDecisions.Open);
    }

    /// <summary>Lists everything that may happen now.</summary>
    public void Next(List<Step> steps)
    {
        steps.Clear();
        if (_entered < _calls.Length)
        {
            steps.Add(new Step(StepKind.Enter, _entered));
        }

        for (var i = 0; i < Workers; i++)
        {
            if (_workers[i] is { } worker)
            {
                Next(worker, i, steps);
            }
        }

        if (_pauses < _setup.Pauses && _table.NextDue is not null)
        {
            steps.Add(new Step(StepKind.Pause, 0));
        }

        if (_resizes < _setup.Resizes)
        {
            steps.Add(new Step(StepKind.Resize, 0));
        }

        for (var i = 0; i < _entered && _leavings < _setup.Leavings; i++)
        {
            if (_calls[i].State is CallState.Queued or CallState.Sent or CallState.Lost && !_calls[i].IsCancelled)
            {
                steps.Add(new Step(StepKind.Leave, i));
            }
        }
    }

    public void Take(Step step)
    {
        var worker = step.Kind is StepKind.Enter or StepKind.Pause or StepKind.Leave or StepKind.Resize ? null : _workers[step.Index];
        switch (step.Kind)
        {
            case StepKind.Enter:
                _entered++;
                Apply((table, now, actions) => PoolDecisions.Enter(table, _calls[step.Index], now, actions));
                break;
            case StepKind.Ready:
                Apply((table, now, actions) => WorkerDecisions.Ready(table, worker!.Entry, _setup.HasSharedMemory, now, actions));
                break;
            case StepKind.Start:
                Start(worker!);
                break;
            case StepKind.Finish:
                Finish(worker!);
                break;
            case StepKind.Send:
                Send(worker!);
                break;
            case StepKind.Read:
                Read(worker!);
                break;
            case StepKind.Die:
                _deaths++;
                worker!.IsAlive = false;
                worker.Running = null;
                break;
            case StepKind.End:
                End(worker!);
                break;
            case StepKind.Reap:
                _workers[step.Index] = null;
                Apply((table, now, actions) => WorkerDecisions.Reaped(table, worker!.Entry, 0, new WorkerEntry(step.Index), now, actions));
                break;
            case StepKind.Pause:
                _pauses++;
                _now += Pause;
                Tick();
                break;
            case StepKind.Leave:
                _leavings++;
                Leave(_calls[step.Index]);
                break;
            case StepKind.Resize:
                _resizes++;
                Apply((table, now, actions) => PoolDecisions.Resize(table, table.Settings with { MinWorkers = 1, MaxWorkers = 1, QueueLimit = 1 }, now, actions));
                break;
        }
    }

    /// <summary>Nothing more can happen: checks that every call has an outcome.</summary>
    public void Rests()
    {
        foreach (var call in _calls)
        {
            if (call.Ending is null)
            {
                throw new InvalidOperationException($"call {call.Number} has no outcome, is {call.State}");
            }
        }
    }

    /// <summary>
    /// A number that two states share only if the same events may follow. Workers are interchangeable: which of several
    /// equal workers is used first makes no difference.
    /// </summary>
    public ulong Fingerprint()
    {
        Span<ulong> workers = stackalloc ulong[Workers];
        for (var i = 0; i < Workers; i++)
        {
            workers[i] = Fingerprint(_table.Workers[i], _workers[i]);
        }

        var hash = new StateHash();
        foreach (var call in _calls)
        {
            hash.Add((int)call.State, call.Worker is { } worker ? (long)workers[worker.Index] : -1, (long)call.CallId, call.Runs, call.Moves, call.Attempts, call.FailedStarts);
            hash.Add(call.IsCancelled ? 1 : 0, call.WasStarted ? 1 : 0, call.IsSafe ? 1 : 0, call.Ending?.Length ?? -1, call.GraceFrom?.Ticks ?? -1, call.Previous is ModelCall before ? before.Number : -1);
        }

        if (_table.Idle.Count > 0)
        {
            hash.Add((long)workers[_table.Idle.Top.Index], (long)workers[_table.Idle.Oldest.Index]);
        }

        workers.Sort();
        hash.Add((long)workers[0], (long)workers[1], (long)workers[2]);
        hash.Add(_entered, _deaths, _pauses, _leavings, _resizes, _now.Ticks, _table.NextDue?.Ticks ?? -1, _table.StartTime.Ticks, _table.Queue.Since.Ticks);
        return hash.Value;
    }

    private static ulong Fingerprint(WorkerEntry entry, ModelWorker? worker)
    {
        var hash = new StateHash();
        hash.Add((int)entry.State, (long)entry.LastCallId, (long)entry.StartedThrough, entry.StartedAt.Ticks, entry.TurnSince.Ticks, entry.Backlog.Ticks, (long)entry.StalledBefore);
        hash.Add(entry.HasStarted ? 1 : 0, entry.IsWithdrawing ? 1 : 0, entry.PingedAt?.Ticks ?? -1, entry.CancelledCalls, entry.IdleSince.Ticks, entry.IsMute ? 1 : 0, entry.FailedStarts);
        if (worker is null)
        {
            return hash.Value;
        }

        hash.Add(worker.IsAlive ? 1 : 0, worker.Ended, (long)worker.Started, worker.StartedAt.Ticks, (long)worker.WithdrawnFirst, (long)worker.WithdrawnLast, (long?)worker.Running?.Id ?? -1, worker.Inbox.Count);
        foreach (var (id, call) in worker.Inbox)
        {
            hash.Add((long)id, call.Number, worker.Cancelled.Contains(id) ? 1 : 0);
        }

        foreach (var (id, call) in worker.Finished)
        {
            hash.Add(-2, (long)id, call.Number);
        }

        foreach (var (isStart, id, call) in worker.Wire)
        {
            hash.Add(isStart ? -3 : -4, (long)id, call.Number);
        }

        return hash.Value;
    }

    private void Next(ModelWorker worker, int index, List<Step> steps)
    {
        if (worker.IsAlive)
        {
            if (worker.Entry.State == WorkerState.Starting)
            {
                steps.Add(new Step(StepKind.Ready, index));
            }

            if (worker.Running is not null)
            {
                steps.Add(new Step(StepKind.Finish, index));
            }
            else if (worker.Inbox.Count > 0)
            {
                steps.Add(new Step(StepKind.Start, index));
            }

            if (worker.Finished.Count > 0)
            {
                steps.Add(new Step(StepKind.Send, index));
            }

            if (_deaths < 1)
            {
                steps.Add(new Step(StepKind.Die, index));
            }
        }

        if (worker.Wire.Count > 0)
        {
            steps.Add(new Step(StepKind.Read, index));
        }
        else if (!worker.IsAlive)
        {
            steps.Add(new Step(worker.Ended < 3 ? StepKind.End : StepKind.Reap, index));
        }
    }

    private void Start(ModelWorker worker)
    {
        var (id, call) = worker.Inbox.Dequeue();
        worker.Started = id;
        worker.StartedAt = _now;
        if (worker.WithdrawnFirst != 0 && id >= worker.WithdrawnFirst && id <= worker.WithdrawnLast)
        {
            worker.WithdrawnFirst = id == worker.WithdrawnLast ? 0 : worker.WithdrawnFirst;
            return;
        }

        call.WasStarted = true;
        if (!_setup.HasSharedMemory)
        {
            worker.Wire.Enqueue((true, id, call));
        }

        if (worker.Cancelled.Contains(id))
        {
            Keep(worker, id, call);
            return;
        }

        worker.Running = (id, call);
        call.IsSafe = false;
        call.Runs++;
        if (call.Runs > (call.MayRunTwice ? 2 : 1) || call.Ending is not (null or "left"))
        {
            throw new InvalidOperationException($"call {call.Number} runs {call.Runs} times, ended as {call.Ending}");
        }
    }

    private void Finish(ModelWorker worker)
    {
        var (id, call) = worker.Running!.Value;
        worker.Running = null;
        Keep(worker, id, call);
    }

    private void Keep(ModelWorker worker, ulong id, ModelCall call)
    {
        worker.Finished.Add((id, call));
        call.IsSafe = _setup.HasSharedMemory;
        if (!_setup.HasSharedMemory)
        {
            Send(worker);
        }
    }

    private static void Send(ModelWorker worker)
    {
        foreach (var (id, call) in worker.Finished)
        {
            call.IsSafe = true;
            worker.Wire.Enqueue((false, id, call));
        }

        worker.Finished.Clear();
    }

    // Like the real reader: answers that arrive together are one event.
    private void Read(ModelWorker worker)
    {
        var answers = new List<(ulong, ModelCall)>();
        while (worker.Wire.TryDequeue(out var said))
        {
            if (!said.IsStart)
            {
                answers.Add((said.Id, said.Call));
                continue;
            }

            Answered(worker, answers);
            answers.Clear();
            Apply((table, now, actions) => WorkerDecisions.Started(table, worker.Entry, said.Id, now, now, actions));
        }

        Answered(worker, answers);
    }

    private void Answered(ModelWorker worker, IReadOnlyList<(ulong Id, ModelCall Call)> sent)
    {
        if (sent.Count == 0)
        {
            return;
        }

        Apply((table, now, actions) =>
        {
            Answer[] answers = [.. sent.Select(static answer => new Answer(answer.Id))];
            var count = WorkerDecisions.Answered(table, worker.Entry, answers, TimeSpan.FromMicroseconds(5), now, actions);
            for (var i = 0; i < sent.Count; i++)
            {
                if (i >= count || answers[i].Call != sent[i].Call)
                {
                    throw new InvalidOperationException($"the answer of call {sent[i].Call.Number} belongs to no call");
                }

                if (answers[i].IsOutcome)
                {
                    sent[i].Call.End("answered");
                }
            }
        });
    }

    private void End(ModelWorker worker)
    {
        worker.Ended++;
        if (worker.Entry.State == WorkerState.Starting)
        {
            worker.Ended = 3;
            Apply((table, now, actions) => WorkerDecisions.StartFailed(table, worker.Entry, isDefinite: false, now, actions));
        }
        else if (worker.Ended == 1)
        {
            Apply((table, now, actions) => WorkerDecisions.Closing(table, worker.Entry, now, actions));
        }
        else if (worker.Ended == 2)
        {
            Answered(worker, _setup.Mutation == Mutation.SalvagesNothing ? [] : worker.Finished);
        }
        else
        {
            var through = _setup.Mutation switch
            {
                Mutation.ForgetsStarted => 0UL,
                Mutation.LosesUnstarted => worker.Entry.LastCallId,
                _ => _setup.HasSharedMemory ? worker.Started : worker.Entry.StartedThrough,
            };
            Apply((table, now, actions) => WorkerDecisions.ChannelEnded(table, worker.Entry, through, now, actions));
        }
    }

    private void Tick() => Apply((table, now, actions) =>
    {
        foreach (var worker in _workers)
        {
            Look(worker, actions);
        }

        PoolDecisions.Tick(table, now, actions);
    });

    private void Leave(ModelCall call) => Apply((table, now, actions) =>
    {
        Look(call.Worker is { } entry ? _workers[entry.Index] : null, actions);
        if (PoolDecisions.Cancel(table, call, now, actions))
        {
            call.End("left");
        }
    });

    private void Look(ModelWorker? worker, PoolActions actions)
    {
        if (_setup.HasSharedMemory && worker is not null)
        {
            WorkerDecisions.Started(_table, worker.Entry, worker.Started, worker.StartedAt, _now, actions);
        }
    }

    private void Apply(Action<PoolTable, TimeSpan, PoolActions> decide)
    {
        _actions.Clear();
        decide(_table, _now, _actions);
        Grow();
        for (var i = 0; i < _actions.Count; i++)
        {
            if (_actions[i].Kind == PoolActionKind.Withdraw)
            {
                Withdraw(_workers[_actions[i].Worker!.Index]!, _actions[i].CallId);
                Grow();
            }
        }

        if (_table.Queue.Count > 0 && _table.Idle.Count > 0)
        {
            throw new InvalidOperationException("a worker idles while a call waits");
        }

        for (var i = 0; i < _actions.Count; i++)
        {
            Execute(_actions[i]);
        }
    }

    private void Grow()
    {
        while (_table.Wanted > 0)
        {
            PoolDecisions.Grow(_table, int.MaxValue, _now, _actions);
        }
    }

    private void Withdraw(ModelWorker worker, ulong wanted)
    {
        var first = Math.Max(wanted, worker.Started + 1);
        var last = worker.Entry.LastCallId;
        if (worker.WithdrawnFirst != 0 || first > last)
        {
            Look(worker, _actions);
            (first, last) = (1, 0);
        }
        else if (_setup.Mutation != Mutation.WithdrawsTooLate)
        {
            (worker.WithdrawnFirst, worker.WithdrawnLast) = (first, last);
        }

        WorkerDecisions.Withdrawn(_table, worker.Entry, first, last, _now, _actions);
    }

    private void Execute(PoolAction action)
    {
        var call = (ModelCall?)action.Call;
        switch (action.Kind)
        {
            case PoolActionKind.Spawn:
                _workers[action.Worker!.Index] = new ModelWorker(action.Worker);
                break;
            case PoolActionKind.Dispatch:
                _workers[action.Worker!.Index]!.Inbox.Enqueue((action.CallId, call!));
                break;
            case PoolActionKind.Cancel:
                _workers[action.Worker!.Index]!.Cancelled.Add(action.CallId);
                break;
            case PoolActionKind.Withdraw or PoolActionKind.Ping:
                break;
            case PoolActionKind.Kill or PoolActionKind.Retire when _resizes > 0:
                if (_workers[action.Worker!.Index] is { Running: null, Inbox.Count: 0 } worker)
                {
                    worker.IsAlive = false;
                    break;
                }

                throw new InvalidOperationException($"a worker with calls gets {action.Kind}");
            case PoolActionKind.RejectFull when _resizes > 0:
                call!.End(nameof(PoolActionKind.RejectFull));
                break;
            case PoolActionKind.FailLost:
                call!.End(nameof(PoolActionKind.FailLost));
                break;
            default:
                throw new InvalidOperationException($"unexpected action {action.Kind}");
        }
    }
}
