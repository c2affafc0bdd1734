namespace Weir.Execution.Processes;

/// <summary>A look into a worker that hangs, before it is killed. Used by one thread, which it blocks. Disposing waits until nothing of it is left: do it after the kill.</summary>
internal abstract class WorkerInspection : IDisposable
{
    /// <summary>The stacks of its threads, as the crash report of the runtime (JSON); <c>null</c> where they could not be had in that time. Writes to no disk.</summary>
    public abstract byte[]? ReadStacks(Patience patience);

    /// <summary>Writes a minidump.</summary>
    /// <returns>Whether the file is complete. Otherwise there may be a part of it.</returns>
    public abstract bool WriteDump(string path, Patience patience);

    public abstract void Dispose();
}
