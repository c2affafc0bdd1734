using Weir.Execution.Pools.Scheduling;
using Weir.Runtime;

namespace Weir.Tests.Processes.Simulation;

/// <summary>A caller and what really happens to its call, independent of the table.</summary>
internal sealed class SimulatedCall(SimulatedPool pool, int number, SimulatedOperation operation, ulong fingerprint) : CallEntry
{
    public SimulatedPool Pool { get; } = pool;

    public int Number { get; } = number;

    public SimulatedOperation Target { get; } = operation;

    public override ulong Fingerprint => IsUnknown ? 0 : fingerprint;

    /// <summary>Whether the decisions do not know the fingerprint of the call.</summary>
    public bool IsUnknown { get; set; }

    /// <summary>Whether it makes every worker that runs it fail.</summary>
    public bool EndsWorkers { get; init; }

    /// <summary>Whether it may run twice, independent of what the table knows.</summary>
    public bool MayRunTwice { get; init; }

    /// <summary>What its caller asked for, independent of what the table knows.</summary>
    public (CallAdmission Admission, int? Retries, bool EndsWithItsCode) Asked { get; init; }

    /// <summary>Its outcomes; there must be exactly one.</summary>
    public List<string> Outcomes { get; } = [];

    /// <summary>How often a worker began to run it.</summary>
    public int Runs { get; set; }

    /// <summary>A worker has started it, even if only to see that it is cancelled.</summary>
    public bool WasStarted { get; set; }

    /// <summary>It was assigned to a worker that broke the protocol and has no shared memory that shows what it had started.</summary>
    public bool MayHaveStarted { get; set; }

    /// <summary>It has run completely, or was seen to be cancelled, and its answer cannot be lost any more, even if the worker fails.</summary>
    public bool IsSafe { get; set; }

    /// <summary>The worker to which it was sent last.</summary>
    public SimulatedWorker? LastWorker { get; set; }

    /// <summary>An item of it has reached the host.</summary>
    public bool WasSeen { get; set; }

    /// <summary>When a worker started it last, and when the worker finished it.</summary>
    public TimeSpan BeganAt { get; set; }

    public TimeSpan? FinishedAt { get; set; }

    /// <summary>When its caller cancelled while it was assigned to a worker.</summary>
    public TimeSpan? GoneAt { get; set; }

    /// <summary>Its items and their reader, if its result is a stream.</summary>
    public SimulatedStream? Stream { get; set; }

    /// <summary>Unsent frames of a worker refer to its memory, although it was withdrawn from that worker.</summary>
    public bool IsLent { get; set; }

    /// <summary>Its caller's token had fired before it came.</summary>
    public bool HasLeft { get; init; }

    public override Operation? Operation => null;

    public override CancellationToken Token => new(HasLeft && Pool.World.Mutation != Mutation.IgnoresFiredTokens);

    public override bool IsLate => false;

    // Otherwise its caller writes the arguments.
    public override bool TryTakePlace()
    {
        if (Pool.World.Random.Next(2) == 0)
        {
            return true;
        }

        Pool.Submit(this);
        return false;
    }

    public override Exception? TryWrite() => Pool.World.InjectsFault() ? new SimulatedFailure() : null;

    public override void Fail(PoolActionKind decision, IPoolWorker? worker, string cause)
    {
        Pool.Oracle.Holds(decision != PoolActionKind.FailStart || Pool.Core.LastFailure is not null, "a pool whose workers cannot start says why", ToString());
        End(decision.ToString());
    }

    public override void Fail(Exception failure) => End(failure.Message);

    public override void Abandon(Exception reason) => End(reason is SimulatedFailure ? "unwritten" : "left");

    /// <summary>Its caller gets an outcome.</summary>
    public void End(string how)
    {
        Pool.Oracle.Ends(this, how);
        Stream?.End(isCancelled: how == "left");
    }

    public override string ToString() => $"call {Number}";
}
