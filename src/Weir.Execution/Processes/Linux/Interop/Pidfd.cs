namespace Weir.Execution.Processes.Linux.Interop;

/// <summary>A process identified by a descriptor: a signal never reaches another process that got the same number later.</summary>
internal static unsafe class Pidfd
{
    /// <summary><c>null</c> when there is no such process, or no pidfds on this kernel; errno says which.</summary>
    public static Descriptor? TryOpen(int pid)
    {
        var number = (int)ProcessCalls.OpenPidfd(ProcessCalls.PidfdOpen, pid, 0);
        return number >= 0 ? new Descriptor(number) : null;
    }

    /// <summary>Whether the process is still known to the kernel under its number: running, stopped, or dead and not reaped.</summary>
    public static bool Exists(Descriptor pidfd) => Signal(pidfd, 0, 0) == 0;

    public static void Stop(Descriptor pidfd) => _ = Signal(pidfd, ProcessCalls.Stop, 0);

    public static void Kill(Descriptor pidfd) => _ = Signal(pidfd, ProcessCalls.Kill, 0);

    /// <summary>
    /// Kills the group that the process leads. Before Linux 6.9 only by number, and only while the process is not reaped:
    /// until then its number cannot become another group's.
    /// </summary>
    public static void KillGroup(Descriptor pidfd, int leader)
    {
        if (Signal(pidfd, ProcessCalls.Kill, ProcessCalls.ToProcessGroup) != 0 && Errno.Last == Errno.Invalid && Reaping.IsUnreaped(pidfd))
        {
            _ = ProcessCalls.SignalByNumber(-leader, ProcessCalls.Kill);
        }
    }

    private static int Signal(Descriptor pidfd, int signal, uint flags)
    {
        using var scope = pidfd.Use();
        return (int)ProcessCalls.SignalPidfd(ProcessCalls.PidfdSendSignal, pidfd.Number, signal, null, (nint)flags);
    }
}
