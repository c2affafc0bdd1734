using System.Runtime.InteropServices;

namespace Weir.Execution.Processes.Linux.Interop;

/// <summary>epoll(7) and the eventfd that wakes it.</summary>
internal static unsafe partial class EpollCalls
{
    public const int CloseOnExec = 0x80000;
    public const int EventCloseOnExecNonBlocking = 0x80800;
    public const int Add = 1;
    public const int Remove = 2;
    public const int Modify = 3;

    /// <summary>struct epoll_event is packed on x86-64 only: 12 bytes there, 16 elsewhere.</summary>
    public static readonly int EventSize = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 12 : 16;

    /// <summary>Where the 64 bits of user data start.</summary>
    public static readonly int DataOffset = EventSize - 8;

    [LibraryImport("libc", EntryPoint = "epoll_create1", SetLastError = true)]
    public static partial int Create(int flags);

    [LibraryImport("libc", EntryPoint = "epoll_ctl", SetLastError = true)]
    public static partial int Control(int epoll, int operation, int descriptor, byte* change);

    [LibraryImport("libc", EntryPoint = "epoll_wait", SetLastError = true)]
    public static partial int Wait(int epoll, byte* events, int capacity, int timeoutMilliseconds);

    [LibraryImport("libc", EntryPoint = "eventfd", SetLastError = true)]
    public static partial int CreateEvent(uint initial, int flags);
}
