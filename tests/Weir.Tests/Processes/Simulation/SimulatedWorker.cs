using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes.Simulation;

/// <summary>
/// What really happens in one worker process: it takes calls from its channel in order, marks them as started, runs them, collects
/// answers and sends them when there is nothing more to read. It may exit, stop, or break the protocol at every step.
/// </summary>
internal sealed class SimulatedWorker(World world, SimulatedPool pool, WorkerEntry entry, SimulatedConnection connection)
{
    private const int MostGathered = 8;

    // All bounded by the calls of the run.
    private readonly Queue<(ulong Id, SimulatedCall Call)> _inbox = new();
    private readonly List<SimulatedRun> _running = [];
    private readonly List<(ulong Id, SimulatedCall Call)> _gathered = [];
    private readonly HashSet<ulong> _cancelled = [];
    private readonly HashSet<ulong> _skipped = [];
    private readonly List<Action> _deferred = [];
    private TimeSpan _arrival;
    private TimeSpan _sentAt;
    private TimeSpan _missedAt;
    private ulong _withdrawnFirst;
    private ulong _withdrawnLast;
    private bool _drains;

    public WorkerEntry Entry { get; } = entry;

    /// <summary>Messages that it has sent and the host has not read, in order.</summary>
    public Queue<Message> Wire { get; } = new();

    public bool IsAlive { get; private set; } = true;

    public bool IsStopped { get; private set; }

    /// <summary>Its shared memory has calls that it does not take, because it missed the wake. A PING wakes it.</summary>
    public bool IsAsleep { get; private set; }

    /// <summary>It has sent messages, and the host missed the wake. A PING wakes both sides.</summary>
    public bool IsUnheard { get; set; }

    /// <summary>Since when one side sleeps although the shared memory has something for it; <c>null</c> when neither does.</summary>
    public TimeSpan? MissedSince => !IsAsleep && !IsUnheard ? null : _missedAt > _sentAt ? _missedAt : _sentAt;

    /// <summary>The host does not read its messages any more: it broke the protocol.</summary>
    public bool IsUnreadable { get; set; }

    /// <summary>In shared memory: it has started, or dropped, all calls up to this id.</summary>
    public ulong Started { get; private set; }

    /// <summary>Whether it has passed a call without running it, because the call was withdrawn.</summary>
    public bool HasSkipped(ulong id) => _skipped.Contains(id);

    public TimeSpan StartedAt { get; private set; }

    /// <summary>In shared memory: the time spent in calls, and their number.</summary>
    public (TimeSpan Busy, long Done) Worked { get; private set; }

    /// <summary>In shared memory: answers that are finished and not sent.</summary>
    public IReadOnlyList<(ulong Id, SimulatedCall Call)> Gathered => _gathered;

    public IReadOnlyList<SimulatedRun> Running => _running;

    /// <summary>The first run that waits for its reader.</summary>
    public SimulatedRun? Blocked => _running.Find(static run => run.IsBlocked);

    private bool HasSharedMemory => world.Scenario.HaveSharedMemory;

    // ---- actions of the host ----

    public void Send(ulong id, SimulatedCall call)
    {
        _sentAt = world.Now;
        var arrival = world.Now + TimeSpan.FromMilliseconds(world.Latency());
        _arrival = arrival > _arrival ? arrival : _arrival;
        world.Time.After(_arrival - world.Now, () =>
        {
            _inbox.Enqueue((id, call));
            if (HasSharedMemory && _running.Count == 0 && _inbox.Count == 1 && world.Chance(world.Scenario.MissedWakes))
            {
                IsAsleep = true;
                _missedAt = world.Now;
            }

            Step(TryStart);
        });
    }

    public void Cancel(ulong id) => AfterLatency(() =>
    {
        _cancelled.Add(id);
        Flush();
        if (_running.Find(run => run.Id == id) is { Heeds: true } run)
        {
            During(world.Random.NextDouble() * 5, () => Finish(run));
        }
    });

    /// <summary>The reader of a stream has taken items. If the grant arrives late, the call has completed and the grant is ignored.</summary>
    public void Grant(ulong id, uint bytes) => AfterLatency(() =>
    {
        if (_running.Find(run => run.Id == id) is { } run && run.Grant(bytes))
        {
            run.IsBlocked = false;
            SendItems(run, 0);
        }
    });

    public void Ping() => AfterLatency(() =>
    {
        IsAsleep = false;
        Flush();
        world.OnHost(world.Latency(), connection.OnPong);
        TryStart();
    });

    public void Drain() => AfterLatency(() =>
    {
        if (!world.InjectsFault())
        {
            _drains = true;
            During(world.Random.NextDouble() * 10, LeaveIfDone);
        }
    });

    /// <summary>The compare-and-swap word of shared memory: calls from an id on are not started, unless they were started already.</summary>
    /// <returns>The first call that is withdrawn; 0 when the worker was faster, or has not seen the last withdrawal.</returns>
    public ulong Withdraw(ulong first, ulong last)
    {
        first = Math.Max(first, Started + 1);
        if (_withdrawnFirst != 0 || first > last)
        {
            return 0;
        }

        if (world.Mutation != Mutation.WithdrawsTooLate)
        {
            (_withdrawnFirst, _withdrawnLast) = (first, last);
        }

        return first;
    }

    /// <summary>A signal ended it that the host did not send.</summary>
    public bool WasEndedFromOutside { get; private set; }

    public void Kill() => world.Time.After(world.Latency() + 0.1, () => Die("killed"));

    // ---- actions of the worker ----

    public void Die(string why, bool fromOutside = false)
    {
        if (IsAlive)
        {
            WasEndedFromOutside = fromOutside;
            if (world.Traces)
            {
                world.Note($"  {this} exits: {why}");
            }

            IsAlive = false;
            _running.Clear();
            world.OnHost(world.Latency(), connection.OnEnd);
        }
    }

    public override string ToString() => $"worker {Entry.Index}#{Entry.Serial}";

    private void TryStart()
    {
        while (IsAlive && !IsAsleep && _running.Count < pool.Promised.Concurrency && _inbox.TryPeek(out var next))
        {
            if (world.InjectsFault())
            {
                Die("when it reads a call");
                return;
            }

            _inbox.Dequeue();
            Take(next.Id, next.Call);
        }
    }

    private void Take(ulong id, SimulatedCall call)
    {
        Started = id;
        StartedAt = world.Now;
        if (_withdrawnFirst != 0 && id >= _withdrawnFirst && id <= _withdrawnLast)
        {
            _withdrawnFirst = id == _withdrawnLast ? 0 : _withdrawnFirst;
            _skipped.Add(id);
            return;
        }

        call.WasStarted = true;
        call.BeganAt = world.Now;
        if (!HasSharedMemory)
        {
            Say(new Message(MessageKind.Started, id, call));
        }

        if (_cancelled.Contains(id))
        {
            Answer(id, call);
        }
        else
        {
            Begin(new SimulatedRun(id, call, world.Now, heeds: world.Random.Next(4) > 0));
        }
    }

    private void Begin(SimulatedRun run)
    {
        if (world.Traces)
        {
            world.Note($"  {this} runs {run.Call}");
        }

        run.Call.Runs++;
        run.Call.FinishedAt = null;

        // A worker that the host does not read any more may start a call that another one has finished: that answer still counts.
        run.Call.IsSafe &= run.Call.LastWorker != this;
        pool.Oracle.Runs(run.Call, this);
        _running.Add(run);
        var takes = run.Call.Target.Draw(world.Random);
        if (run.Call.EndsWorkers)
        {
            During(takes / 2, () => Die("ended by its call", fromOutside: run.Call.Fingerprint % 2 == 0));
            run.IsEndless = true;
        }
        else if (world.InjectsFault())
        {
            GoWrong(run, takes);
            run.IsEndless = true;
        }

        if (run.Call.Stream is { } stream)
        {
            SendItems(run, takes / (stream.Sizes.Length + 1));
        }
        else if (!run.IsEndless)
        {
            During(takes, () => Finish(run));
        }
    }

    // Sends one item after the other, as far as its credit allows, and then the end.
    private void SendItems(SimulatedRun run, double pause) => During(pause, () =>
    {
        if (!_running.Contains(run))
        {
            return;
        }

        if (!run.HasMore)
        {
            if (!run.IsEndless)
            {
                Finish(run);
            }
        }
        else if (run.TrySend(world.Mutation == Mutation.SendsWithoutCredit))
        {
            Say(new Message(MessageKind.Item, run.Id, run.Call, run.Sent));
            SendItems(run, pause);
        }
        else
        {
            run.IsBlocked = true;
            if (world.Traces)
            {
                world.Note($"  {this} waits for the reader of {run.Call}");
            }
        }
    });

    private void GoWrong(SimulatedRun run, double takes)
    {
        switch (world.Random.Next(3))
        {
            case 0:
                var fromOutside = world.Random.Next(2) == 0;
                During(takes / 2, () => Die("while it ran a call", fromOutside));
                break;
            case 1:
                During(takes / 2, () => Say(new Message(MessageKind.Garbage, 0, null)));
                break;
            default:
                // It never ends by itself: only a cancellation ends it.
                world.OnHost(world.Random.Next(1000), () => pool.Leave(run.Call));
                break;
        }
    }

    private void Finish(SimulatedRun run)
    {
        if (_running.Remove(run))
        {
            Worked = (Worked.Busy + (world.Now - run.Since), Worked.Done + 1);
            Answer(run.Id, run.Call);
            if (world.Mutation == Mutation.SendsAfterwards && IsAlive && run is { Sent: > 0, Call.IsStreamed: true })
            {
                Say(new Message(MessageKind.Item, run.Id, run.Call, run.Sent));
            }
        }
    }

    private void Answer(ulong id, SimulatedCall call)
    {
        _gathered.Add((id, call));
        call.FinishedAt = world.Now;

        // A worker that the host does not read any more may run a call that has been assigned to another one: its answer does not count.
        call.IsSafe = call.LastWorker == this ? HasSharedMemory : call.IsSafe;
        if (world.InjectsFault())
        {
            Die("with answers that were not sent");
            return;
        }

        if (!HasSharedMemory || _gathered.Count == MostGathered || pool.Promised.Concurrency > 1)
        {
            Flush();
        }

        TryStart();
        if (_running.Count == 0)
        {
            // All calls that were read together are finished or withdrawn.
            Flush();
        }

        LeaveIfDone();
    }

    private void Flush()
    {
        while (_gathered.Count > 0 && IsAlive)
        {
            var (id, call) = _gathered[0];
            _gathered.RemoveAt(0);
            call.IsSafe |= call.LastWorker == this;
            Say(new Message(MessageKind.Answer, id, call));
            if (_gathered.Count > 0 && world.InjectsFault())
            {
                Die("half way through its answers");
            }
        }
    }

    private void LeaveIfDone()
    {
        if (_drains && _running.Count == 0 && _inbox.Count == 0)
        {
            Flush();
            Die("drained");
        }
    }

    private void Say(Message message)
    {
        Wire.Enqueue(message);
        if (HasSharedMemory && world.Chance(world.Scenario.MissedWakes))
        {
            IsUnheard = true;
            _missedAt = world.Now;
            return;
        }

        world.OnHost(world.Latency(), connection.OnReadable);
    }

    // ---- time ----

    private void AfterLatency(Action action) => During(world.Latency(), action);

    private void During(double milliseconds, Action action) => world.Time.After(milliseconds, () => Step(action));

    private void Step(Action action)
    {
        if (!IsAlive)
        {
            return;
        }

        if (!IsStopped && world.Chance(world.Scenario.Stalls))
        {
            Stop();
        }

        if (IsStopped)
        {
            _deferred.Add(action);
        }
        else
        {
            action();
        }
    }

    // As by a debugger, or a machine without memory.
    private void Stop()
    {
        world.Note($"  {this} is stopped");
        IsStopped = true;
        if (world.Random.Next(3) > 0)
        {
            world.Time.After(world.Random.Next(1, 3000), Resume);
            return;
        }

        // Stopped permanently: its calls run until their callers cancel.
        foreach (var run in _running)
        {
            world.OnHost(world.Random.Next(1000), () => pool.Leave(run.Call));
        }
    }

    private void Resume()
    {
        IsStopped = false;
        world.Note($"  {this} continues");
        var deferred = _deferred.ToArray();
        _deferred.Clear();
        foreach (var action in deferred)
        {
            Step(action);
        }
    }
}
