using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes.Simulation;

/// <summary>A caller and what really becomes of its call, whatever the table says.</summary>
internal sealed class SimulatedCall(SimulatedPool pool, int number, SimulatedOperation operation, ulong fingerprint) : CallEntry
{
    public SimulatedPool Pool { get; } = pool;

    public int Number { get; } = number;

    public SimulatedOperation Operation { get; } = operation;

    public override ulong Fingerprint => IsUnknown ? 0 : fingerprint;

    /// <summary>The decisions are not told which call it is.</summary>
    public bool IsUnknown { get; set; }

    /// <summary>Kills whoever runs it.</summary>
    public bool IsPoison { get; init; }

    /// <summary>Whether it may be run twice, whatever the table was told.</summary>
    public bool MayRunTwice { get; init; }

    /// <summary>How it ended, once for each ending.</summary>
    public List<string> Endings { get; } = [];

    /// <summary>How often a worker began to run it.</summary>
    public int Runs { get; set; }

    /// <summary>A worker has taken it up, if only to see that it is cancelled.</summary>
    public bool WasStarted { get; set; }

    /// <summary>It was with a worker that broke the protocol and has no page to tell what it had started.</summary>
    public bool MayHaveStarted { get; set; }

    /// <summary>It was run to its end, or was seen to be cancelled, and the answer is where no death of the worker can take it away.</summary>
    public bool IsSafe { get; set; }

    /// <summary>Whom it was sent to last.</summary>
    public SimulatedWorker? LastWorker { get; set; }

    /// <summary>An item of it has reached the host.</summary>
    public bool WasSeen { get; set; }

    /// <summary>When a worker took it up last, and when it was done with it.</summary>
    public TimeSpan BeganAt { get; set; }

    public TimeSpan? FinishedAt { get; set; }

    /// <summary>When its caller left while it was with a worker.</summary>
    public TimeSpan? GoneAt { get; set; }

    /// <summary>What its items are, and who reads them, where its result is a stream.</summary>
    public SimulatedStream? Stream { get; set; }

    /// <summary>Its caller has an ending.</summary>
    public void End(string how)
    {
        Pool.Oracle.Ends(this, how);
        Stream?.End(isCancelled: how == "left");
    }

    public override string ToString() => $"call {Number}";
}
