using System.Runtime.InteropServices;

namespace Weir.Worker.Platform;

/// <summary>The calls a worker makes to Linux itself. The numbers are the same on every architecture .NET runs on there.</summary>
internal static unsafe partial class LibC
{
    public const int Interrupted = 4;
    public const int TryAgain = 11;
    public const int SetDescriptorFlags = 2;
    public const int CloseOnExec = 1;
    public const int SetParentDeathSignal = 1;
    public const int SetTracer = 0x59616d61;
    public const int Kill = 9;
    public const int NoSignal = 0x4000;
    public const int DoNotWait = 0x40;
    public const int ShutdownSending = 1;
    public const int FromEnd = 2;
    public const int Read = 1;
    public const int ReadAndWrite = 3;
    public const int Shared = 1;

    public const short Readable = 0x1;
    public const short Error = 0x8;
    public const short HungUp = 0x10;
    public const short PeerEnded = 0x2000;

    [LibraryImport("libc", EntryPoint = "prctl", SetLastError = true)]
    public static partial int ProcessControl(int option, nuint argument, nuint third, nuint fourth, nuint fifth);

    [LibraryImport("libc", EntryPoint = "getppid")]
    public static partial int ParentProcessId();

    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    public static partial int DescriptorControl(int descriptor, int command, int argument);

    [LibraryImport("libc", EntryPoint = "recv", SetLastError = true)]
    public static partial nint Receive(int socket, byte* buffer, nuint length, int flags);

    [LibraryImport("libc", EntryPoint = "send", SetLastError = true)]
    public static partial nint Send(int socket, byte* bytes, nuint length, int flags);

    [LibraryImport("libc", EntryPoint = "shutdown", SetLastError = true)]
    public static partial int Shutdown(int socket, int how);

    [LibraryImport("libc", EntryPoint = "poll", SetLastError = true)]
    public static partial int Poll(PollEntry* entries, nuint count, int timeoutMilliseconds);

    [LibraryImport("libc", EntryPoint = "lseek", SetLastError = true)]
    public static partial nint Seek(int descriptor, nint offset, int whence);

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    public static partial nint Map(nint address, nuint length, int protection, int flags, int descriptor, nint offset);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    public static partial int Unmap(nint address, nuint length);

    [LibraryImport("libc", EntryPoint = "close")]
    public static partial int Close(int descriptor);

    /// <summary>struct pollfd.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct PollEntry
    {
        public int Descriptor;
        public short Wanted;
        public short Happened;
    }
}
