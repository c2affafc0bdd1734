namespace Weir.Execution.Pools.Scheduling;

/// <summary>One worker in one of a pool's places for workers; the place gets a new entry when the worker is reaped. Under the pool's lock.</summary>
internal sealed class WorkerEntry(int index)
{
    /// <summary>The place in the table; stable.</summary>
    public int Index { get; } = index;

    public WorkerState State { get; set; }

    /// <summary>Which generation of the pool's options it was started with.</summary>
    public int Generation { get; set; }

    /// <summary>It has shared memory: it publishes its progress, and what it has not started can be withdrawn. Calls are prefetched only to such a worker.</summary>
    public bool HasSharedMemory { get; set; }

    // ---- its calls ----

    /// <summary>Calls it was given and has not answered, by ascending id. It runs them in this order; calls that were lost with it stay until it is reaped.</summary>
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

    /// <summary>How many of its calls have an unknown time.</summary>
    public int CallsOfUnknownTime { get; set; }

    /// <summary>How many of its calls were cancelled by their caller.</summary>
    public int CancelledCalls { get; set; }

    /// <summary>Calls it was given and keeps.</summary>
    public long Taken { get; set; }

    /// <summary>Calls it answered.</summary>
    public long CallsDone { get; set; }

    /// <summary>Whether it ever started a call: a failure before that is caused by the worker, not by a call.</summary>
    public bool HasStarted { get; set; }

    // ---- stall detection ----

    /// <summary>Nothing more is sent to it before it has started this call, or answered the one before: what it runs takes much longer than usual, or it does not start what it should. 0 when it is not stalled.</summary>
    public ulong StalledBefore { get; set; }

    /// <summary>Whether it is stalled in this sense.</summary>
    public bool IsStalled => StalledBefore > 0;

    /// <summary>A withdrawal was requested and its outcome is not known.</summary>
    public bool IsWithdrawing { get; set; }

    /// <summary>When the PING it has not answered was requested.</summary>
    public TimeSpan? PingedAt { get; set; }

    /// <summary>Whether the shared memory held frames that the worker or the host had not taken when the host last looked. A hint, set before a tick.</summary>
    public bool MissedWake { get; set; }

    /// <summary>Until then no PING is sent for a missed wake.</summary>
    public TimeSpan NoWakeBefore { get; set; }

    /// <summary>How often in a row it did not start a call in time.</summary>
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
    public RetirementReason Due { get; set; }

    /// <summary>Why it gets no more calls; <see cref="RetirementReason.None"/> while it does, and where it failed.</summary>
    public RetirementReason Retired { get; set; }

    /// <summary>When it is killed because it was asked to exit and did not.</summary>
    public TimeSpan? KillAt { get; set; }

    /// <summary>Why its kill was requested, once; <see cref="KillReason.None"/> when it was not.</summary>
    public KillReason Killed { get; set; }

    /// <summary>Which operator asked for its kill; <c>null</c> where none did, or is not named.</summary>
    public string? KilledBy { get; set; }

    /// <summary>Its data channel was lost while it was starting: a READY, which arrives on the control channel, has no effect any more.</summary>
    public bool IsMute { get; set; }

    /// <summary>It failed while it served, and whether that counts against the pool is not decided yet.</summary>
    public bool FailedServing { get; set; }

    /// <summary>It was ended by a signal that the host did not send and nothing explains: any process may have sent it. Set before its calls are classified.</summary>
    public bool WasEndedFromOutside { get; set; }

    /// <summary>The calls that were withdrawn but still belong to it until nothing refers to their memory. A first id above the last: no calls.</summary>
    public (ulong First, ulong Last) Withdrawn { get; set; } = (1, 0);

    /// <summary>The worker itself; <c>null</c> before it was created.</summary>
    public IPoolWorker? Process { get; set; }

    /// <summary>Whether it has started a call that it still has. It skips withdrawn calls and never starts them.</summary>
    public bool Ran(CallEntry call) => call.CallId <= StartedThrough && (call.CallId < Withdrawn.First || call.CallId > Withdrawn.Last);

    /// <summary>The call of an id among those it was given and has not answered; <c>null</c> when it is none of them.</summary>
    public CallEntry? Find(ulong callId)
    {
        // The call that is searched is nearly always the first.
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
