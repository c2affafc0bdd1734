using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes.Simulation;

/// <summary>What the host's side of one pool hears of its workers, until they are reaped, brought to the real decisions in the order in which a real host would.</summary>
internal sealed class WorkerNews(World world, SimulatedPool pool)
{
    private readonly (TimeSpan Busy, long Done)[] _worked = new (TimeSpan, long)[pool.Table.Workers.Length];

    private Oracle Oracle => pool.Oracle;

    private bool HavePages => world.Scenario.HavePages;

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

    public void OnPong(SimulatedWorker worker) => pool.Apply($"{worker} answers a PING", (table, now, actions) => WorkerDecisions.Ponged(table, worker.Entry, now, actions));

    /// <summary>The end of the channel: what is left to read; then, once it is certain that nothing runs there, what is left in the page, and the end.</summary>
    public void OnEnd(SimulatedWorker worker)
    {
        OnReadable(worker);
        if (worker.Entry.State == WorkerState.Starting)
        {
            pool.Apply($"{worker} is mute", (table, now, actions) => WorkerDecisions.ChannelEnded(table, worker.Entry, 0, now, actions));
        }
        else if (!worker.IsDeaf)
        {
            Oracle.Restarts.Dies(worker);
            pool.Apply($"{worker} has ended", (table, now, actions) => WorkerDecisions.Closing(table, worker.Entry, now, actions));

            // How it ended is known when the process is gone: others come in between.
            world.Time.After(world.Latency(), () => Salvage(worker));
        }

        world.Time.After((2 * world.Scenario.Latency) + 0.05, () => Reap(worker));
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
                worker.IsDeaf = true;
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

    // Where it can be kept from starting anything more, what it has not started need not wait for its end.
    private void Violated(PoolTable table, SimulatedWorker worker, TimeSpan now, PoolActions actions)
    {
        var first = HavePages ? worker.Withdraw(1, worker.Entry.LastCallId) : 0;
        var through = first > 0 ? first - 1 : HavePages ? worker.Started : worker.Entry.LastCallId;
        Oracle.Restarts.Dies(worker);
        Oracle.Restarts.Hears(worker, through);
        Oracle.Quarantine.Died(worker, through);
        for (var call = HavePages ? null : worker.Entry.Sent.First; call is not null; call = call.Next)
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

    private void Tell(SimulatedWorker worker, List<Message> messages)
    {
        if (messages.Count > 0 && !worker.IsDeaf)
        {
            Answered(worker, [.. messages.Select(message => (message.Id, message.Call!))]);
        }

        messages.Clear();
    }

    private void Answered(SimulatedWorker worker, (ulong Id, SimulatedCall Call)[] told) => pool.Apply($"{worker} answers {string.Join(", ", told.Select(answer => answer.Call))}", (table, now, actions) =>
    {
        Answer[] answers = [.. told.Select(answer => new Answer(answer.Id))];
        var (busy, done) = worker.Worked;
        var before = _worked[worker.Entry.Index];
        var perCall = HavePages && done > before.Done ? (busy - before.Busy) / (done - before.Done) : TimeSpan.Zero;
        _worked[worker.Entry.Index] = (busy, done);
        Oracle.Restarts.Hears(worker, told.Max(static answer => answer.Id));
        Hide(told, world.Mutation == Mutation.ForgetsSurvivors);
        var count = WorkerDecisions.Answered(table, worker.Entry, answers, perCall, now, actions);
        Hide(told, false);
        Oracle.Holds(count == answers.Length, "an answer belongs to a call", $"{count} of {answers.Length}");
        for (var i = 0; i < count; i++)
        {
            var call = told[i].Call;
            Oracle.Holds(answers[i].Call == call, "an answer belongs to its call", call.ToString());
            Oracle.Quarantine.Answered(call);
            if (answers[i].IsEnding || world.Mutation == Mutation.AnswersTwice)
            {
                call.End("answered");
            }
        }
    });

    private static void Hide((ulong Id, SimulatedCall Call)[] told, bool isUnknown)
    {
        foreach (var (_, call) in told)
        {
            call.IsUnknown = isUnknown;
        }
    }

    private void Salvage(SimulatedWorker worker)
    {
        // 1. What it had finished.
        if (HavePages && worker.Gathered.Count > 0 && world.Mutation != Mutation.SalvagesNothing)
        {
            Answered(worker, [.. worker.Gathered]);
        }

        // 2. The rest is attributed.
        var started = HavePages ? worker.Started : worker.Entry.StartedThrough;
        var through = !HavePages ? started : world.Mutation switch
        {
            Mutation.LosesUnstarted => worker.Entry.LastCallId,
            Mutation.ForgetsStarted => 0,
            _ => started,
        };
        pool.Apply($"{worker} is attributed, started through {through}", (table, now, actions) =>
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
        world.Room.Return(1);
        pool.Apply($"{worker} is reaped", (table, now, actions) =>
        {
            var through = HavePages ? worker.Started : 0;
            Oracle.Restarts.IsDead(worker, through);
            WorkerDecisions.Reaped(table, worker.Entry, through, new WorkerEntry(worker.Entry.Index), now, actions);
        });
    }
}
