namespace Weir.Execution.Processes;

/// <summary>One of a pool's places for workers; used again for the next process once the last one is reaped. Under the pool's lock.</summary>
internal sealed class WorkerEntry(int index)
{
    /// <summary>The place in the table; stable.</summary>
    public int Index { get; } = index;

    public WorkerState State { get; set; }

    /// <summary>The call it was given, until the call's slot is released.</summary>
    public CallEntry? Current { get; set; }

    /// <summary>The id of the last call on its channel.</summary>
    public ulong LastCallId { get; set; }

    /// <summary>When it last became idle.</summary>
    public TimeSpan IdleSince { get; set; }

    /// <summary>When it is killed unless something happens first; <c>null</c> for never.</summary>
    public TimeSpan? KillAt { get; set; }

    /// <summary>Whether its kill was asked for; once is enough.</summary>
    public bool IsKilled { get; set; }

    /// <summary>Whether it ever started a call: its death before that speaks of the worker, not of a call.</summary>
    public bool HasStarted { get; set; }

    /// <summary>Calls it answered.</summary>
    public long CallsDone { get; set; }

    /// <summary>The process behind it, for whoever carries out the actions.</summary>
    public object? Process { get; set; }

    public void Clear()
    {
        State = WorkerState.Absent;
        Current = null;
        LastCallId = 0;
        IdleSince = default;
        KillAt = null;
        IsKilled = false;
        HasStarted = false;
        CallsDone = 0;
        Process = null;
    }
}
