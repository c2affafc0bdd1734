using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes.Simulation;

/// <summary>
/// What really happens in one worker process: it takes calls from its channel in order, marks them as started, runs them, gathers
/// answers and sends them when there is nothing more to read. It may die, stop, or break the protocol at every one of its steps.
/// </summary>
internal sealed class SimulatedWorker(World world, SimulatedPool pool, WorkerEntry entry)
{
    private const int MostGathered = 8;

    // All bounded by the calls of the run.
    private readonly Queue<(ulong Id, SimulatedCall Call)> _inbox = new();
    private readonly List<SimulatedRun> _running = [];
    private readonly List<(ulong Id, SimulatedCall Call)> _gathered = [];
    private readonly HashSet<ulong> _cancelled = [];
    private readonly List<Action> _deferred = [];
    private TimeSpan _arrival;
    private ulong _recallFirst;
    private ulong _recallLast;
    private bool _drains;

    public WorkerEntry Entry { get; } = entry;

    /// <summary>What it has sent and the host has not read, in order.</summary>
    public Queue<Message> Wire { get; } = new();

    public bool IsAlive { get; private set; } = true;

    public bool IsStopped { get; private set; }

    /// <summary>The host does not read it any more: it broke the protocol.</summary>
    public bool IsDeaf { get; set; }

    /// <summary>The page: it has started, or dropped, all calls up to this id.</summary>
    public ulong Started { get; private set; }

    public TimeSpan StartedAt { get; private set; }

    /// <summary>The page: time spent in calls, and how many.</summary>
    public (TimeSpan Busy, long Done) Worked { get; private set; }

    /// <summary>The page: answers that are finished and not sent.</summary>
    public IReadOnlyList<(ulong Id, SimulatedCall Call)> Gathered => _gathered;

    public IReadOnlyList<SimulatedRun> Running => _running;

    /// <summary>The first that waits for its reader.</summary>
    public SimulatedRun? Blocked => _running.Find(static run => run.IsBlocked);

    private bool HasPage => world.Scenario.HavePages;

    // ---- what the host does to it ----

    public void Send(ulong id, SimulatedCall call)
    {
        var arrival = world.Now + TimeSpan.FromMilliseconds(world.Latency());
        _arrival = arrival > _arrival ? arrival : _arrival;
        world.Time.After(_arrival - world.Now, () =>
        {
            _inbox.Enqueue((id, call));
            Step(TryStart);
        });
    }

    public void Cancel(ulong id) => Hear(() =>
    {
        _cancelled.Add(id);
        Flush();
        if (_running.Find(run => run.Id == id) is { Heeds: true } run)
        {
            During(world.Random.NextDouble() * 5, () => Finish(run));
        }
    });

    /// <summary>The reader of a stream has taken some: late, it is for nobody.</summary>
    public void Grant(ulong id, uint bytes) => Hear(() =>
    {
        if (_running.Find(run => run.Id == id) is { } run && run.Grant(bytes))
        {
            run.IsBlocked = false;
            SendItems(run, 0);
        }
    });

    public void Ping() => Hear(() =>
    {
        Flush();
        world.Time.After(world.Latency(), () => pool.News.OnPong(this));
    });

    public void Drain() => Hear(() =>
    {
        if (!world.Fault())
        {
            _drains = true;
            During(world.Random.NextDouble() * 10, LeaveIfDone);
        }
    });

    /// <summary>The page's word for both: nothing from an id on is started, if it was not started already.</summary>
    /// <returns>The first that is taken back; 0 when the worker was faster, or has not seen the last recall.</returns>
    public ulong Withdraw(ulong first, ulong last)
    {
        first = Math.Max(first, Started + 1);
        if (_recallFirst != 0 || first > last)
        {
            return 0;
        }

        if (world.Mutation != Mutation.RecallsTooLate)
        {
            (_recallFirst, _recallLast) = (first, last);
        }

        return first;
    }

    /// <summary>A signal ended it that the host did not send.</summary>
    public bool WasEndedFromOutside { get; private set; }

    public void Kill() => world.Time.After(world.Latency() + 0.1, () => Die("killed"));

    // ---- what it does ----

    public void Die(string why, bool fromOutside = false)
    {
        if (IsAlive)
        {
            WasEndedFromOutside = fromOutside;
            if (world.Traces)
            {
                world.Note($"  {this} dies: {why}");
            }

            IsAlive = false;
            _running.Clear();
            world.Time.After(world.Latency(), () => pool.News.OnEnd(this));
        }
    }

    public override string ToString() => $"worker {Entry.Index}#{Entry.Serial}";

    private void TryStart()
    {
        while (IsAlive && _running.Count < pool.Promised.Concurrency && _inbox.TryPeek(out var next))
        {
            if (world.Fault())
            {
                Die("at the sight of a call");
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
        if (_recallFirst != 0 && id >= _recallFirst && id <= _recallLast)
        {
            _recallFirst = id == _recallLast ? 0 : _recallFirst;
            return;
        }

        call.WasStarted = true;
        call.BeganAt = world.Now;
        if (!HasPage)
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
        run.Call.IsSafe = false;
        pool.Oracle.Runs(run.Call);
        _running.Add(run);
        var takes = run.Call.Operation.Draw(world.Random);
        if (run.Call.IsPoison)
        {
            During(takes / 2, () => Die("poisoned", fromOutside: run.Call.Fingerprint % 2 == 0));
            run.IsEndless = true;
        }
        else if (world.Fault())
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

    // One after the other, as far as its reader lets it; and then the end.
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
                // It never ends by itself: only its caller's leaving ends it.
                world.Time.After(world.Random.Next(1000), () => pool.Leave(run.Call));
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

        // Whom nobody hears any more may run what somebody else was given since: that is not safe by this.
        call.IsSafe = call.LastWorker == this ? HasPage : call.IsSafe;
        if (world.Fault())
        {
            Die("with answers that were not sent");
            return;
        }

        if (!HasPage || _gathered.Count == MostGathered || pool.Promised.Concurrency > 1)
        {
            Flush();
        }

        TryStart();
        if (_running.Count == 0)
        {
            // What it read together is done, or was taken back.
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
            if (_gathered.Count > 0 && world.Fault())
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
        world.Time.After(world.Latency(), () => pool.News.OnReadable(this));
    }

    // ---- time ----

    private void Hear(Action action) => During(world.Latency(), action);

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

        // For good: who runs there runs until its caller has had enough.
        foreach (var run in _running)
        {
            world.Time.After(world.Random.Next(1000), () => pool.Leave(run.Call));
        }
    }

    private void Resume()
    {
        IsStopped = false;
        world.Note($"  {this} goes on");
        var deferred = _deferred.ToArray();
        _deferred.Clear();
        foreach (var action in deferred)
        {
            Step(action);
        }
    }
}
