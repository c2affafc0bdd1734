namespace Weir.Execution.Processes;

/// <summary>One worker process, from its spawn until it is reaped, and the host's ends of its channels.</summary>
internal abstract class WorkerHandle : IAsyncDisposable
{
    /// <summary>For logs and people only. Never the target of a signal: the number may belong to another process once the worker is reaped.</summary>
    public abstract int ProcessId { get; }

    /// <summary>The host's end of descriptor 3 of the worker.</summary>
    public abstract WorkerChannel Data { get; }

    /// <summary>The host's end of descriptor 4 of the worker.</summary>
    public abstract WorkerChannel Control { get; }

    /// <summary>The memory it shares with its worker, descriptor 5 there; <c>null</c> where there is none.</summary>
    public virtual SharedMemoryRegion? SharedMemory => null;

    /// <summary>What was applied to it, as the operating system read it back.</summary>
    public virtual AppliedLimits Limits => AppliedLimits.None;

    /// <summary>Completes once the process is reaped and its captured output is read. Never fails. Continuations do not run on the thread of the epoll loop.</summary>
    public abstract Task<ExitReport> Exited { get; }

    /// <summary>Whether it is known why the worker ended: it exited or crashed, the host killed it, or the kernel killed it because memory was short. Otherwise any process may have killed it. Called once, after the worker ended.</summary>
    /// <param name="exit">How it ended.</param>
    public virtual bool IsExplained(ExitReport exit) => true;

    /// <summary>The memory that belongs to it alone, in bytes; <c>null</c> where that is not known, or the worker is gone. Not for a thread that must not block.</summary>
    public virtual long? ReadPrivateMemory() => null;

    /// <summary>The same, and what its limits count besides; <c>null</c> where that is not known, or the worker is gone. Not for a thread that must not block.</summary>
    public virtual MemoryUse? ReadMemoryUse() => null;

    /// <summary>Looks into the worker, a .NET process; <c>null</c> where that is not possible: it is gone, on another operating system, or without a tool that reads it.</summary>
    public virtual WorkerInspection? Inspect() => null;

    /// <summary>The last 64 KB that the worker printed, stdout and stderr in the order in which they were read.</summary>
    public abstract string ReadOutputTail();

    /// <summary>The line that the runtime printed when it terminated itself, if any: see <see cref="FatalErrorLine"/>.</summary>
    public abstract string? FatalErrorLine { get; }

    /// <summary>
    /// Ends the worker, its process group, and all other descendants that can be found, with SIGKILL. Does not wait until they have ended.
    /// Any thread, any number of times, also after the worker is gone. Reads /proc: not for a thread that must not block.
    /// </summary>
    public abstract void Kill();

    /// <summary>Kills what still runs, waits until the worker is reaped, and closes the channels.</summary>
    public abstract ValueTask DisposeAsync();
}
