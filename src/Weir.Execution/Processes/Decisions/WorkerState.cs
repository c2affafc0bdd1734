namespace Weir.Execution.Processes;

/// <summary>Where one of a pool's places for workers stands. All but <see cref="Absent"/> count against the maximum.</summary>
internal enum WorkerState
{
    /// <summary>No process.</summary>
    Absent,

    /// <summary>Spawned, or about to be; not READY.</summary>
    Starting,

    /// <summary>READY and without a call.</summary>
    Idle,

    /// <summary>Has a call.</summary>
    Busy,

    /// <summary>Was told to leave, or answered while it was being killed.</summary>
    Retiring,

    /// <summary>Its channel ended or it failed to start; not reaped yet.</summary>
    Ending,
}
