using System.Diagnostics.CodeAnalysis;
using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Scheduling;
using Weir.Protocol.Payloads;
using Weir.Tests.Processes.Simulation;

namespace Weir.Tests.Processes.Interleavings;

/// <summary>
/// A real core with three workers and three calls, and everything that may happen next. Time advances only in steps of its own.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "The core holds a timer that never fires, and nothing else; there are a million models.")]
internal sealed class Model : TimeProvider, IPoolObserver
{
    private const int Workers = 3;
    private static readonly OperationCanceledException Left = new();
    private static readonly FailedStart NotReady = new("WEIR", "start", "It did not become ready.", 0);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(2);

    private readonly ModelSetup _setup;
    private readonly PoolCore _core;
    private readonly PoolTable _table;
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
        var settings = new PoolSettings
        {
            MinWorkers = setup.MinWorkers,
            MaxWorkers = Workers,
            QueueLimit = 3,
            IdleTimeout = null,
            CancelGrace = TimeSpan.FromSeconds(2),
            RestartBudget = 5,
            MostStarting = Workers,
            QuarantineKills = 0,
        };
        _core = new PoolCore(settings, this, capacity: null, (_, entry) => new ModelWorker(this, entry), this);
        _table = _core.Read(0, static (table, _) => table);
        OperationTime? time = null;
        if (setup.IsKnown)
        {
            time = new OperationTime();
            for (var i = 0; i < OperationTime.LeastSamples; i++)
            {
                time.Learn(TimeSpan.FromMicroseconds(5));
            }
        }

        _calls = [.. Enumerable.Range(0, 3).Select(number => new ModelCall(this, number, number == setup.Idempotent, time).Prepare())];
        _core.Open();
    }

    /// <summary>What is explored.</summary>
    public ModelSetup Setup => _setup;

    /// <summary>The first thing that was wrong: code of the pool may have caught it.</summary>
    public InvalidOperationException? Fault { get; private set; }

    /// <summary>Whether the pool became smaller.</summary>
    public bool IsResized => _resizes > 0;

    // ---- the ports of the pool ----

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public bool MeasuresWaits => false;

    public override long GetTimestamp() => _now.Ticks;

    // Time passes only in steps.
    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) => NoTimer.Instance;

    public void Place(ModelWorker worker) => _workers[worker.Entry.Index] = worker;

    public void Waited(ReadOnlySpan<TimeSpan> times)
    {
    }

    public void CannotStart(int generation, FailedStart failure) => throw Wrong("a worker says that it cannot start");

    public void Decided(PoolTable table, TimeSpan now, FailedStart? lastFailure)
    {
        if (table.Queue.Count > 0 && table.Idle.Count > 0)
        {
            throw Wrong("a worker idles while a call waits");
        }
    }

    public void CallbackFailed(Exception failure, string work) => throw Wrong($"{work}: {failure}");

    /// <summary>Something is wrong.</summary>
    public InvalidOperationException Wrong(string what) => Fault ??= new InvalidOperationException(what);

    // ---- steps ----

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
                _core.Enter(_calls[step.Index]);
                break;
            case StepKind.Ready:
                worker!.IsReady = true;
                _core.Ready(worker);
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
                _core.Reaped(worker!, "ended");
                break;
            case StepKind.Return:
                worker!.Return(_core);
                break;
            case StepKind.Pause:
                _pauses++;
                _now += Pause;
                _core.Tick();
                break;
            case StepKind.Leave:
                _leavings++;
                _core.Cancel(_calls[step.Index], CancelReason.Caller, Left);
                break;
            case StepKind.Resize:
                _resizes++;
                _core.Resize(_table.Settings with { MinWorkers = 1, MaxWorkers = 1, QueueLimit = 1 });
                break;
        }

        if (Fault is not null)
        {
            throw Fault;
        }
    }

    /// <summary>Nothing more can happen: checks that every call has an outcome.</summary>
    public void Rests()
    {
        foreach (var call in _calls)
        {
            if (call.Ending is null)
            {
                throw Wrong($"call {call.Number} has no outcome, is {call.State}");
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
        hash.Add(entry.HasStarted ? 1 : 0, entry.IsWithdrawing ? 1 : 0, entry.PingedAt?.Ticks ?? -1, entry.CancelledCalls, entry.IdleSince.Ticks, entry.IsMute ? 1 : 0, entry.FailedStarts, (long)entry.Withdrawn.First, worker is { IsLending: true } ? 1 : 0);
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

        if (worker.IsLending)
        {
            steps.Add(new Step(StepKind.Return, index));
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
            throw Wrong($"call {call.Number} runs {call.Runs} times, ended as {call.Ending}");
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
            _core.Started(worker, said.Id);
        }

        Answered(worker, answers);
    }

    private void Answered(ModelWorker worker, IReadOnlyList<(ulong Id, ModelCall Call)> sent)
    {
        if (sent.Count > 0)
        {
            worker.Answers = [.. sent.Select(static answer => new Answer(answer.Id))];
            var count = _core.Answered(worker, worker.Answers, TimeSpan.FromMicroseconds(5), worker);
            for (var i = 0; i < sent.Count; i++)
            {
                if (i >= count || worker.Answers[i].Call != sent[i].Call)
                {
                    throw Wrong($"the answer of call {sent[i].Call.Number} belongs to no call");
                }
            }
        }
    }

    private void End(ModelWorker worker)
    {
        worker.Ended++;
        if (worker.Entry.State == WorkerState.Starting)
        {
            worker.Ended = 3;
            _core.StartFailed(worker, NotReady, isDefinite: false);
        }
        else if (worker.Ended == 1)
        {
            _core.ChannelEnded(worker, isReaped: false);
        }
        else if (worker.Ended == 2)
        {
            Answered(worker, _setup.Mutation == Mutation.SalvagesNothing ? [] : worker.Finished);
        }
        else
        {
            _core.ChannelEnded(worker, isReaped: true);
        }
    }
}
