namespace Weir.Execution.Processes.Linux.Interop;

/// <summary>Takes the exit status of exactly one process. Nothing here waits for "any" child: those belong to the runtime and the application.</summary>
internal static unsafe class Reaping
{
    /// <summary>The status of a process that has ended; <c>null</c> while it runs.</summary>
    public static ExitReport? TryReap(Descriptor pidfd)
    {
        using var scope = pidfd.Use();
        return Wait(ProcessCalls.ByPidfd, (uint)pidfd.Number, ProcessCalls.Exited | ProcessCalls.NoHang);
    }

    /// <summary>Whether the process is not reaped yet: where SIGCHLD is ignored, other code or the kernel reaps the host's children.</summary>
    public static bool IsUnreaped(Descriptor pidfd)
    {
        using var scope = pidfd.Use();
        var info = stackalloc byte[ProcessCalls.InfoSize];
        return ProcessCalls.Wait(ProcessCalls.ByPidfd, (uint)pidfd.Number, info, ProcessCalls.Exited | ProcessCalls.NoHang | ProcessCalls.KeepWaitable) == 0;
    }

    /// <summary>Waits for a child that was killed and that no other code watches.</summary>
    public static void WaitFor(int unreapedPid) => _ = Wait(ProcessCalls.ByPid, (uint)unreapedPid, ProcessCalls.Exited);

    /// <summary>Reaps a child that has ended; does nothing where it has not, or where other code has reaped it.</summary>
    public static void TryReap(int endedPid) => _ = Wait(ProcessCalls.ByPid, (uint)endedPid, ProcessCalls.Exited | ProcessCalls.NoHang);

    private static ExitReport? Wait(int idType, uint id, int options)
    {
        var info = stackalloc byte[ProcessCalls.InfoSize];
        new Span<byte>(info, ProcessCalls.InfoSize).Clear();
        while (ProcessCalls.Wait(idType, id, info, options) != 0)
        {
            if (Errno.Last != Errno.Interrupted)
            {
                // ECHILD: other code has reaped it.
                return ExitReport.Unknown;
            }
        }

        var status = *(int*)(info + ProcessCalls.InfoStatus);
        return *(int*)(info + ProcessCalls.InfoPid) == 0
            ? null
            : *(int*)(info + ProcessCalls.InfoCode) == ProcessCalls.CodeExited
                ? new ExitReport(status, Signal: null)
                : new ExitReport(ExitCode: null, status);
    }
}
