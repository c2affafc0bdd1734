namespace Weir.Worker.Platform;

/// <summary>Ties the worker's life to its host's: the kernel kills it when the host dies, also in an endless loop.</summary>
internal static class ParentDeath
{
    /// <summary>Asks for the signal, then looks whether the host died before it was asked for.</summary>
    /// <param name="host">The process that started this one.</param>
    /// <returns><c>false</c> when the host is gone already.</returns>
    public static bool TieTo(int host)
    {
        if (!OperatingSystem.IsLinux())
        {
            return true; // The channels' end is what is left.
        }

        return LibC.ProcessControl(LibC.SetParentDeathSignal, LibC.Kill, 0, 0, 0) == 0 && LibC.ParentProcessId() == host;
    }
}
