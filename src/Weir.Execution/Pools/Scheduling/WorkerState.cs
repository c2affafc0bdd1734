namespace Weir.Execution.Pools.Scheduling;

/// <summary>The state of one of a pool's places for workers. All but <see cref="Absent"/> count against the maximum.</summary>
internal enum WorkerState
{
    /// <summary>No process.</summary>
    Absent,

    /// <summary>Spawned, or about to be; not READY.</summary>
    Starting,

    /// <summary>READY and without a call.</summary>
    Idle,

    /// <summary>Has calls, and may get others.</summary>
    Busy,

    /// <summary>Has calls and gets no others: it is retiring, or is being killed.</summary>
    Finishing,

    /// <summary>Without a call, because it did not start those it was given; gets none before it has answered a PING.</summary>
    Silent,

    /// <summary>Was asked to exit, or answered its last call while it was being killed.</summary>
    Retiring,

    /// <summary>Its channel ended or it failed to start; not reaped yet.</summary>
    Exiting,
}
