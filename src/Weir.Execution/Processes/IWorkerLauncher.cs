namespace Weir.Execution.Processes;

/// <summary>Starts worker processes on one operating system. Any number of calls may run at once.</summary>
internal interface IWorkerLauncher
{
    /// <summary>Spawns the process, applies and reads back its limits, and watches it. No frame has been sent to the worker yet.</summary>
    /// <exception cref="LaunchException">It could not be spawned, or a limit could not be applied; nothing is left running.</exception>
    Task<WorkerHandle> LaunchAsync(LaunchRequest request);

    /// <summary>
    /// Turns a pool's options into limits on this machine, and tries them without a worker: a limit that cannot be applied is better
    /// refused when the application starts than at its first call. May take a millisecond.
    /// </summary>
    /// <exception cref="LaunchException">A limit cannot be applied, and the options do not request best effort.</exception>
    WorkerLimits Prepare(ILimitOptions options);
}
