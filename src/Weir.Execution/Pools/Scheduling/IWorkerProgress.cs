namespace Weir.Execution.Pools.Scheduling;

/// <summary>What a worker with shared memory records there while it runs, without a frame. Any thread; when the worker is gone every member returns a neutral value.</summary>
internal interface IWorkerProgress
{
    /// <summary>A hint: whether the worker or the host waits although the shared memory has what it waits for; true for a moment where all is well.</summary>
    bool MissedWake { get; }

    /// <summary>The last call it has started: between <paramref name="atLeast"/>, which it is known to have started, and <paramref name="lastSent"/>.</summary>
    ulong StartedThrough(ulong atLeast, ulong lastSent);

    /// <summary>When it started a call, in nanoseconds of the clock that both use; 0 when unknown: it records that for its last call only.</summary>
    ulong StartOf(ulong callId);

    /// <summary>Withdraws the calls that it has not started, from <paramref name="first"/> on. Under the pool's lock: nothing is assigned to it during that time.</summary>
    /// <returns><c>false</c> when there is nothing to withdraw, or it is not possible now.</returns>
    bool TryWithdraw(ulong atLeast, ulong lastSent, out ulong first);
}
