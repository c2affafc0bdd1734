namespace Weir.Worker.Platform;

/// <summary>Ties the worker to its host: the kernel kills it when the host dies, also in an endless loop, and lets the host look at its stacks.</summary>
internal static class ParentDeath
{
    /// <summary>Requests the signal, then checks whether the host died before the request.</summary>
    /// <param name="host">The process that started this one.</param>
    /// <returns><c>false</c> when the host is gone already.</returns>
    public static bool TieTo(int host)
    {
        if (!OperatingSystem.IsLinux())
        {
            return true; // Here only the end of the channels ends the worker.
        }

        // Where Yama lets only an ancestor trace a process: what the host starts may read the stacks of a worker that hangs. Refused where there is no Yama.
        _ = LibC.ProcessControl(LibC.SetTracer, (nuint)host, 0, 0, 0);
        return LibC.ProcessControl(LibC.SetParentDeathSignal, LibC.Kill, 0, 0, 0) == 0 && LibC.ParentProcessId() == host;
    }
}
