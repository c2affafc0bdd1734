namespace Weir.Execution.Processes;

/// <summary>One life in one of a pool's places for workers; the place gets a fresh entry when it is reaped. Under the pool's lock.</summary>
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

    /// <summary>Why its kill was asked for, once; <see cref="KillReason.None"/> when it was not.</summary>
    public KillReason Killed { get; set; }

    /// <summary>Whether it ever started a call: its death before that speaks of the worker, not of a call.</summary>
    public bool HasStarted { get; set; }

    /// <summary>Its data channel was lost while it was starting: a READY, which comes another way, makes no difference any more.</summary>
    public bool IsMute { get; set; }

    /// <summary>Calls it answered.</summary>
    public long CallsDone { get; set; }

    /// <summary>The process behind it, for whoever carries out the actions.</summary>
    public object? Process { get; set; }
}
