using Weir.Execution.Pools.Scheduling;

namespace Weir.Tests.Processes.Interleavings;

/// <summary>One process of the model: what it was sent, runs, has finished, has said.</summary>
internal sealed class ModelWorker(WorkerEntry entry)
{
    public WorkerEntry Entry { get; } = entry;

    public bool IsAlive { get; set; } = true;

    /// <summary>How much of its end the host knows: 0 nothing, 1 the channel's end, 2 what the page held, 3 all but that it is reaped.</summary>
    public int Ended { get; set; }

    // All bounded by the model's three calls.
    public Queue<(ulong Id, ModelCall Call)> Inbox { get; } = new();

    public (ulong Id, ModelCall Call)? Running { get; set; }

    public List<(ulong Id, ModelCall Call)> Finished { get; } = [];

    /// <summary>On the way to the host: a start, or an answer.</summary>
    public Queue<(bool IsStart, ulong Id, ModelCall Call)> Wire { get; } = new();

    public HashSet<ulong> Cancelled { get; } = [];

    public ulong Started { get; set; }

    public TimeSpan StartedAt { get; set; }

    public ulong RecallFirst { get; set; }

    public ulong RecallLast { get; set; }
}
