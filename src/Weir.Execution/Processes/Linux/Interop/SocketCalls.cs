using System.Runtime.InteropServices;

namespace Weir.Execution.Processes.Linux.Interop;

/// <summary>Calls on the socket pairs between the host and a worker.</summary>
internal static unsafe partial class SocketCalls
{
    public const int UnixFamily = 1;
    public const int Stream = 1;
    public const int CloseOnExec = 0x80000;
    public const int NoSignal = 0x4000;
    public const int DoNotWait = 0x40;
    public const int ShutdownBoth = 2;
    public const short Readable = 0x1;

    [LibraryImport("libc", EntryPoint = "socketpair", SetLastError = true)]
    public static partial int Pair(int family, int type, int protocol, int* ends);

    [LibraryImport("libc", EntryPoint = "send", SetLastError = true)]
    public static partial nint Send(int socket, byte* buffer, nuint length, int flags);

    [LibraryImport("libc", EntryPoint = "recv", SetLastError = true)]
    public static partial nint Receive(int socket, byte* buffer, nuint length, int flags);

    [LibraryImport("libc", EntryPoint = "shutdown", SetLastError = true)]
    public static partial int Shutdown(int socket, int how);

    [LibraryImport("libc", EntryPoint = "poll", SetLastError = true)]
    public static partial int Poll(PollEntry* entries, nuint count, int timeoutMilliseconds);

    /// <summary>struct pollfd.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct PollEntry
    {
        public int Descriptor;
        public short Wanted;
        public short Happened;
    }
}
