using Weir.Execution.Pools.Core;
using Weir.Execution.Pools.Scheduling;
using Weir.Tests.Processes.Simulation;

namespace Weir.Tests.Processes.Interleavings;

/// <summary>One process of the model and the host's side of it: the calls that it was sent, runs and has finished, and the messages that it has sent.</summary>
internal sealed class ModelWorker(Model model, WorkerEntry entry) : IPoolWorker, IWorkerProgress, IAnswerCompletion
{
    public WorkerEntry Entry { get; } = entry;

    public bool IsAlive { get; set; } = true;

    public bool IsReady { get; set; }

    /// <summary>How much the host knows of its exit: 0 nothing, 1 the end of the channel, 2 the salvaged results, 3 everything except the reaping.</summary>
    public int Ended { get; set; }

    // All bounded by the model's three calls.
    public Queue<(ulong Id, ModelCall Call)> Inbox { get; } = new();

    public (ulong Id, ModelCall Call)? Running { get; set; }

    public List<(ulong Id, ModelCall Call)> Finished { get; } = [];

    /// <summary>Messages on their way to the host: a start, or an answer.</summary>
    public Queue<(bool IsStart, ulong Id, ModelCall Call)> Wire { get; } = new();

    public HashSet<ulong> Cancelled { get; } = [];

    /// <summary>What is being reported.</summary>
    public Answer[] Answers { get; set; } = [];

    public ulong Started { get; set; }

    public TimeSpan StartedAt { get; set; }

    public ulong WithdrawnFirst { get; set; }

    public ulong WithdrawnLast { get; set; }

    /// <summary>Unsent frames refer to the memory of withdrawn calls, until a step returns it.</summary>
    public bool IsLending { get; private set; }

    public IWorkerProgress? Progress => IsReady && model.Setup.HasSharedMemory ? this : null;

    public int ProcessId => 1;

    public string ReportId => "";

    public bool WasEndedFromOutside => false;

    public bool MissedWake => false;

    public long? ReadPrivateMemory() => null;

    public void Start() => model.Place(this);

    public void Assign(CallEntry call, ulong callId)
    {
        var assigned = (ModelCall)call;
        if (assigned.Lender is { IsLending: true, Ended: 0 })
        {
            throw model.Wrong($"call {assigned.Number} is used again before its memory is returned");
        }

        assigned.Lender = this;
        Inbox.Enqueue((callId, assigned));
    }

    public void WriteAssigned()
    {
    }

    public bool Borrows(ulong first) => IsLending = model.Setup.Lends;

    public void ReturnWithdrawn(PoolActions actions)
    {
    }

    /// <summary>The memory of its withdrawn calls is returned.</summary>
    public void Return(PoolCore core)
    {
        IsLending = false;
        var following = core.Apply(0, static (_, _, _, _) => { });
        core.Returned(this, following);
        core.Execute(following);
    }

    public void Dispatch()
    {
    }

    public void Cancel(CallEntry call, ulong callId) => Cancelled.Add(callId);

    public void Grant(ulong callId, uint bytes) => throw model.Wrong("a grant without a stream");

    public void Ping()
    {
    }

    public void Retire() => Exit("asked to exit");

    public void Kill() => Exit("killed");

    public void OnActionFailed(Exception failure) => throw model.Wrong($"an action fails: {failure}");

    public void RecordAnswers(ReadOnlySpan<Answer> answers)
    {
    }

    public void RecordEnd(ulong startedThrough)
    {
    }

    public ulong StartedThrough(ulong atLeast, ulong lastSent) => Ended < 3 ? Started : model.Setup.Mutation switch
    {
        Mutation.ForgetsStarted => 0,
        Mutation.LosesUnstarted => lastSent,
        _ => Started,
    };

    public ulong StartOf(ulong callId) => callId == Started ? (ulong)StartedAt.Ticks * TimeSpan.NanosecondsPerTick : 0;

    public bool TryWithdraw(ulong atLeast, ulong lastSent, out ulong first)
    {
        first = Math.Max(atLeast, Started) + 1;
        if (WithdrawnFirst != 0 || first > lastSent)
        {
            return false;
        }

        if (model.Setup.Mutation != Mutation.WithdrawsTooLate)
        {
            (WithdrawnFirst, WithdrawnLast) = (first, lastSent);
        }

        return true;
    }

    void IAnswerCompletion.Release()
    {
    }

    void IAnswerCompletion.Complete(int count)
    {
        foreach (var answer in Answers.AsSpan(0, count))
        {
            if (answer.IsOutcome)
            {
                ((ModelCall)answer.Call!).End("answered");
            }
        }
    }

    // Only where the pool becomes smaller.
    private void Exit(string why)
    {
        if (!model.IsResized || Running is not null || Inbox.Count > 0)
        {
            throw model.Wrong($"a worker with calls is {why}");
        }

        IsAlive = false;
    }
}
