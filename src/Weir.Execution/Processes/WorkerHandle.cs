namespace Weir.Execution.Processes;

/// <summary>One worker process, from its spawn until it is reaped, and the host's ends of what connects it.</summary>
internal abstract class WorkerHandle : IAsyncDisposable
{
    /// <summary>For logs and people. Never a target of a signal: the number may belong to a stranger once the worker is reaped.</summary>
    public abstract int ProcessId { get; }

    /// <summary>The host's end of descriptor 3 of the worker.</summary>
    public abstract WorkerChannel Data { get; }

    /// <summary>The host's end of descriptor 4 of the worker.</summary>
    public abstract WorkerChannel Control { get; }

    /// <summary>The memory it shares with its worker, descriptor 5 there; <c>null</c> where there is none.</summary>
    public virtual SharedPage? Page => null;

    /// <summary>What was applied to it, as the operating system read it back.</summary>
    public virtual AppliedLimits Limits => AppliedLimits.None;

    /// <summary>Ends once the process is reaped and its captured output is read. Never fails. Continuations do not run on the watching thread.</summary>
    public abstract Task<ExitReport> Exited { get; }

    /// <summary>Whether it is known why the worker ended so: it ended itself, the host killed it, or the kernel did for want of memory. Otherwise anybody may have killed it. After its end, once.</summary>
    /// <param name="exit">How it ended.</param>
    public virtual bool IsExplained(ExitReport exit) => true;

    /// <summary>What of its memory belongs to it alone, in bytes; <c>null</c> where that is not known, or it is gone. Not for a thread that must not wait.</summary>
    public virtual long? ReadPrivateMemory() => null;

    /// <summary>The last 64 KB that the worker printed, stdout and stderr in the order in which they were read.</summary>
    public abstract string ReadOutputTail();

    /// <summary>The line with which the runtime told of its own end, if it did: see <see cref="FatalErrorLine"/>.</summary>
    public abstract string? FatalErrorLine { get; }

    /// <summary>
    /// Ends the worker, its process group, and what else of its descendants can be found, with SIGKILL. Does not wait for the end.
    /// Any thread, any number of times, also after the worker is gone. Reads /proc: not for a thread that must not wait.
    /// </summary>
    public abstract void Kill();

    /// <summary>Kills what still lives, waits until it is reaped, and closes the channels.</summary>
    public abstract ValueTask DisposeAsync();
}
