namespace Weir.Execution.Pools.Scheduling;

/// <summary>One life in one of a pool's places for workers; the place gets a fresh entry when it is reaped. Under the pool's lock.</summary>
internal sealed class WorkerEntry(int index)
{
    /// <summary>The place in the table; stable.</summary>
    public int Index { get; } = index;

    public WorkerState State { get; set; }

    /// <summary>Which generation of the pool's options it was started with.</summary>
    public int Generation { get; set; }

    /// <summary>It publishes its progress and can hand back what it has not started: only to such a worker calls are sent ahead.</summary>
    public bool HasPage { get; set; }

    // ---- its calls ----

    /// <summary>Calls it was given and has not answered, by rising id. The first in turn run; those that died with it stay until it is reaped.</summary>
    public CallList Sent { get; } = new();

    /// <summary>The id of the last call on its channel.</summary>
    public ulong LastCallId { get; set; }

    /// <summary>It has started all calls up to this id, as far as is known.</summary>
    public ulong StartedThrough { get; set; }

    /// <summary>When it started the last of them.</summary>
    public TimeSpan StartedAt { get; set; }

    /// <summary>Since when the first of its calls could run.</summary>
    public TimeSpan TurnSince { get; set; }

    /// <summary>The sum of what its calls are expected to take.</summary>
    public TimeSpan Backlog { get; set; }

    /// <summary>The sum of the bytes of its calls.</summary>
    public long BytesSent { get; set; }

    /// <summary>How many of its calls take nobody knows how long.</summary>
    public int Unsure { get; set; }

    /// <summary>How many of its calls have lost their caller.</summary>
    public int Gone { get; set; }

    /// <summary>Calls it was given and keeps.</summary>
    public long Taken { get; set; }

    /// <summary>Calls it answered.</summary>
    public long CallsDone { get; set; }

    /// <summary>Whether it ever started a call: its death before that speaks of the worker, not of a call.</summary>
    public bool HasStarted { get; set; }

    // ---- doubts about it ----

    /// <summary>Nothing more is sent to it before it has started this call, or answered the one before: what it runs takes much longer than usual, or it does not start what it should. 0 for no doubt.</summary>
    public ulong OverdueBefore { get; set; }

    /// <summary>Whether there is such a doubt.</summary>
    public bool IsOverdue => OverdueBefore > 0;

    /// <summary>A recall was asked for and its outcome is not known.</summary>
    public bool IsRecalling { get; set; }

    /// <summary>When the PING it has not answered was asked for.</summary>
    public TimeSpan? PingedAt { get; set; }

    /// <summary>Whether the shared memory held frames that the worker or the host had not taken when the host last looked. A hint, set before a tick.</summary>
    public bool MissedWake { get; set; }

    /// <summary>Until then no PING is sent for a missed wake.</summary>
    public TimeSpan NoWakeBefore { get; set; }

    /// <summary>How often in a row it gave back a call without having started it in time.</summary>
    public int FailedStarts { get; set; }

    // ---- its life ----

    /// <summary>Which of the pool's processes it is, counted from 1.</summary>
    public long Serial { get; set; }

    public TimeSpan SpawnedAt { get; set; }

    /// <summary>When it last became idle.</summary>
    public TimeSpan IdleSince { get; set; }

    /// <summary>How many calls it may have; <c>null</c> for any number.</summary>
    public long? MostTasks { get; set; }

    /// <summary>When it is old; <c>null</c> for never.</summary>
    public TimeSpan? OldAt { get; set; }

    /// <summary>Why it is to be replaced.</summary>
    public DueReason Due { get; set; }

    /// <summary>When it is killed because it was told to leave and did not.</summary>
    public TimeSpan? KillAt { get; set; }

    /// <summary>Why its kill was asked for, once; <see cref="KillReason.None"/> when it was not.</summary>
    public KillReason Killed { get; set; }

    /// <summary>Its data channel was lost while it was starting: a READY, which comes another way, makes no difference any more.</summary>
    public bool IsMute { get; set; }

    /// <summary>It died while it served, and whether that is to be held against the pool is not decided.</summary>
    public bool DiedServing { get; set; }

    /// <summary>A signal ended it that the host did not send and nothing explains: anybody may have. Set before its calls are attributed.</summary>
    public bool WasEndedFromOutside { get; set; }

    /// <summary>The calls that were taken back and are still its own until the memory they lent is returned. A first above the last: none.</summary>
    public (ulong First, ulong Last) Withdrawn { get; set; } = (1, 0);

    /// <summary>The process behind it, for whoever carries out the actions.</summary>
    public object? Process { get; set; }

    /// <summary>Whether it has started a call that it still has. What was taken back from it is passed over, and never started.</summary>
    public bool Ran(CallEntry call) => call.CallId <= StartedThrough && (call.CallId < Withdrawn.First || call.CallId > Withdrawn.Last);

    /// <summary>The call of an id among those it was given and has not answered; <c>null</c> when it is none of them.</summary>
    public CallEntry? Find(ulong callId)
    {
        // The one that is asked for is nearly always the first.
        for (var call = Sent.First; call is not null && call.CallId <= callId; call = call.Next)
        {
            if (call.CallId == callId)
            {
                return call.State == CallState.Sent ? call : null;
            }
        }

        return null;
    }
}
