using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes.Interleavings;

/// <summary>One process of the model: the calls that it was sent, runs and has finished, and the messages that it has sent.</summary>
internal sealed class ModelWorker(WorkerEntry entry)
{
    public WorkerEntry Entry { get; } = entry;

    public bool IsAlive { get; set; } = true;

    /// <summary>How much the host knows of its exit: 0 nothing, 1 the end of the channel, 2 the salvaged results, 3 everything except the reaping.</summary>
    public int Ended { get; set; }

    // All bounded by the model's three calls.
    public Queue<(ulong Id, ModelCall Call)> Inbox { get; } = new();

    public (ulong Id, ModelCall Call)? Running { get; set; }

    public List<(ulong Id, ModelCall Call)> Finished { get; } = [];

    /// <summary>Messages on their way to the host: a start, or an answer.</summary>
    public Queue<(bool IsStart, ulong Id, ModelCall Call)> Wire { get; } = new();

    public HashSet<ulong> Cancelled { get; } = [];

    public ulong Started { get; set; }

    public TimeSpan StartedAt { get; set; }

    public ulong WithdrawnFirst { get; set; }

    public ulong WithdrawnLast { get; set; }
}
