using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes.Simulation;

/// <summary>Passes the events of the workers of one pool, until they are reaped, to the real decisions in the order of a real host.</summary>
internal sealed class WorkerNews(World world, SimulatedPool pool)
{
    private readonly (TimeSpan Busy, long Done)[] _worked = new (TimeSpan, long)[Scenario.MostWorkers + 2];

    private Oracle Oracle => pool.Oracle;

    private bool HaveSharedMemory => world.Scenario.HaveSharedMemory;

    /// <summary>The channel is readable: reads everything.</summary>
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

            Deliver(worker, answers);
            Handle(worker, message);
        }

        Deliver(worker, answers);
    }

    public void OnPong(SimulatedWorker worker) => pool.Apply($"{worker} answers a PING", (table, now, actions) => WorkerDecisions.Ponged(table, worker.Entry, now, actions));

    /// <summary>The end of the channel: reads the rest; then, once it is certain that nothing runs there, salvages shared memory, then the exit.</summary>
    public void OnEnd(SimulatedWorker worker)
    {
        OnReadable(worker);
        if (worker.Entry.State == WorkerState.Starting)
        {
            pool.Apply($"{worker} ends its channel", (table, now, actions) => WorkerDecisions.ChannelEnded(table, worker.Entry, 0, now, actions));
        }
        else if (!worker.IsUnreadable)
        {
            Oracle.Restarts.Dies(worker);
            pool.Apply($"{worker} has ended", (table, now, actions) => WorkerDecisions.Closing(table, worker.Entry, now, actions));

            // How it ended is known when the process has exited: other events come in between.
            world.Time.After(world.Latency(), () => Salvage(worker));
        }

        world.Time.After((2 * world.Scenario.Latency) + 0.05, () => Reap(worker));
    }

    private void Handle(SimulatedWorker worker, Message message)
    {
        if (worker.IsUnreadable)
        {
            return;
        }

        switch (message.Kind)
        {
            case MessageKind.Started:
                pool.Apply($"{worker} started {message.Call}", (table, now, actions) =>
                {
                    Oracle.Restarts.Hears(worker, message.Id);
                    WorkerDecisions.Started(table, worker.Entry, message.Id, now, now, actions);
                });
                break;

            case MessageKind.Item:
                pool.Apply(world.Traces ? $"{worker} sends item {message.Number} of {message.Call}" : "an item comes", (_, _, _) => Item(worker, message));
                break;

            default:
                worker.IsUnreadable = true;
                pool.Apply($"{worker} breaks the protocol", (table, now, actions) => Violated(table, worker, now, actions));
                break;
        }
    }

    private void Item(SimulatedWorker worker, Message message)
    {
        var call = WorkerDecisions.Item(worker.Entry, message.Id);
        Oracle.Holds(call == message.Call, "an item belongs to its call", message.Call!.ToString());
        message.Call.WasSeen |= !call!.IsCancelled;
        call.HasItems &= world.Mutation != Mutation.RetriesAfterItems;
        message.Call.Stream!.Accept(message.Number);
    }

    // If it can be prevented from starting anything more, calls that it has not started need not wait for its exit.
    private void Violated(PoolTable table, SimulatedWorker worker, TimeSpan now, PoolActions actions)
    {
        var first = HaveSharedMemory ? worker.Withdraw(1, worker.Entry.LastCallId) : 0;
        var through = first > 0 ? first - 1 : HaveSharedMemory ? worker.Started : worker.Entry.LastCallId;
        Oracle.Restarts.Dies(worker);
        Oracle.Restarts.Hears(worker, through);
        Oracle.Quarantine.Died(worker, through);
        for (var call = HaveSharedMemory ? null : worker.Entry.Sent.First; call is not null; call = call.Next)
        {
            ((SimulatedCall)call).MayHaveStarted = true;
        }

        WorkerDecisions.Violated(table, worker.Entry, through, now, actions);
        if (first > 0)
        {
            Oracle.Restarts.IsDead(worker, through);
            WorkerDecisions.ChannelEnded(table, worker.Entry, through, now, actions);
        }
    }

    private void Deliver(SimulatedWorker worker, List<Message> messages)
    {
        if (messages.Count > 0 && !worker.IsUnreadable)
        {
            Answered(worker, [.. messages.Select(message => (message.Id, message.Call!))]);
        }

        messages.Clear();
    }

    private void Answered(SimulatedWorker worker, (ulong Id, SimulatedCall Call)[] answered) => pool.Apply($"{worker} answers {string.Join(", ", answered.Select(answer => answer.Call))}", (table, now, actions) =>
    {
        Answer[] answers = [.. answered.Select(answer => new Answer(answer.Id))];
        var (busy, done) = worker.Worked;
        var before = _worked[worker.Entry.Index];
        var perCall = HaveSharedMemory && done > before.Done ? (busy - before.Busy) / (done - before.Done) : TimeSpan.Zero;
        _worked[worker.Entry.Index] = (busy, done);
        Oracle.Restarts.Hears(worker, answered.Max(static answer => answer.Id));
        Hide(answered, world.Mutation == Mutation.ForgetsSurvivors);
        var count = WorkerDecisions.Answered(table, worker.Entry, answers, perCall, now, actions);
        Hide(answered, false);
        Oracle.Holds(count == answers.Length, "an answer belongs to a call", $"{count} of {answers.Length}");
        for (var i = 0; i < count; i++)
        {
            var call = answered[i].Call;
            Oracle.Holds(answers[i].Call == call, "an answer belongs to its call", call.ToString());
            Oracle.Quarantine.Answered(call);
            if (answers[i].IsOutcome || world.Mutation == Mutation.AnswersTwice)
            {
                call.End("answered");
            }
        }
    });

    private static void Hide((ulong Id, SimulatedCall Call)[] answered, bool isUnknown)
    {
        foreach (var (_, call) in answered)
        {
            call.IsUnknown = isUnknown;
        }
    }

    private void Salvage(SimulatedWorker worker)
    {
        // 1. The results that it had finished.
        if (HaveSharedMemory && worker.Gathered.Count > 0 && world.Mutation != Mutation.SalvagesNothing)
        {
            Answered(worker, [.. worker.Gathered]);
        }

        // 2. The other calls are classified as started or not started.
        var started = HaveSharedMemory ? worker.Started : worker.Entry.StartedThrough;
        var through = !HaveSharedMemory ? started : world.Mutation switch
        {
            Mutation.LosesUnstarted => worker.Entry.LastCallId,
            Mutation.ForgetsStarted => 0,
            _ => started,
        };
        pool.Apply($"{worker} is classified, started through {through}", (table, now, actions) =>
        {
            Oracle.Restarts.Dies(worker);
            Oracle.Restarts.IsDead(worker, started);
            if (worker.Entry.Killed == KillReason.None)
            {
                Oracle.Quarantine.Died(worker, started, worker.WasEndedFromOutside);
            }

            worker.Entry.WasEndedFromOutside = worker.WasEndedFromOutside && world.Mutation != Mutation.BlamesOutsiders;
            WorkerDecisions.ChannelEnded(table, worker.Entry, through, now, actions);
        });
    }

    private void Reap(SimulatedWorker worker)
    {
        if (world.Mutation == Mutation.ForgetsTheDead)
        {
            return;
        }

        if (worker.Entry.State == WorkerState.Starting)
        {
            pool.Hands.FailToStart(worker, isDefinite: false);
        }

        pool.Workers[worker.Entry.Index] = null;
        _worked[worker.Entry.Index] = default;
        world.Capacity.Release(1);
        pool.Apply($"{worker} is reaped", (table, now, actions) =>
        {
            var through = HaveSharedMemory ? worker.Started : 0;
            Oracle.Restarts.IsDead(worker, through);
            WorkerDecisions.Reaped(table, worker.Entry, through, new WorkerEntry(worker.Entry.Index), now, actions);
        });
    }
}
