using System.Runtime.InteropServices;

namespace Weir.Load.Raw;

/// <summary>The calls of the kernel that a reactor makes: readiness, bytes, and a timer finer than a millisecond.</summary>
internal static partial class Epoll
{
    // Error numbers of Linux.
    public const int Interrupted = 4;
    public const int WouldBlock = 11;
    public const int BrokenPipe = 32;
    public const int ConnectionReset = 104;
    public const int Refused = 111;
    public const int InProgress = 115;

    public const int Ip4 = 2;
    public const int Ip6 = 10;
    public const int NoSignal = 0x4000;

    public const int Add = 1;
    public const int Modify = 3;
    public const uint In = 0x1;
    public const uint Out = 0x4;

    public const int Monotonic = 1;
    public const int NonBlocking = 0x800;

    private const string C = "libc";
    private const int StreamSocket = 1;
    private const int CloseOnExec = 0x80000;
    private const int Tcp = 6;
    private const int TcpNoDelay = 1;
    private const int SocketLevel = 1;
    private const int SocketError = 4;

    // struct epoll_event is packed on x86-64 and nowhere else.
    private static readonly int DataOffset = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 4 : 8;

    /// <summary>Bytes of one <c>struct epoll_event</c>.</summary>
    public static int EventSize { get; } = DataOffset + 8;

    /// <summary>Watches a descriptor; <paramref name="data"/> comes back with its events.</summary>
    public static unsafe void Watch(int epoll, int operation, int descriptor, uint what, int data)
    {
        var settings = stackalloc byte[16];
        *(uint*)settings = what;
        *(long*)(settings + DataOffset) = data;
        if (Control(epoll, operation, descriptor, settings) < 0)
        {
            throw new IOException($"epoll_ctl failed with {Marshal.GetLastPInvokeError()}");
        }
    }

    /// <summary>A TCP socket that never blocks and sends small requests at once; negative when the process has too many.</summary>
    public static unsafe int CreateSocket(int family)
    {
        var socket = CreateSocket(family, StreamSocket | NonBlocking | CloseOnExec, Tcp);
        var on = 1;
        if (socket >= 0)
        {
            _ = SetOption(socket, Tcp, TcpNoDelay, &on, sizeof(int));
        }

        return socket;
    }

    /// <summary>Why the last operation of a socket failed; zero when it did not.</summary>
    public static unsafe int ErrorOf(int socket)
    {
        int error;
        var length = sizeof(int);
        return GetOption(socket, SocketLevel, SocketError, &error, &length) < 0 ? Marshal.GetLastPInvokeError() : error;
    }

    public static unsafe uint ReadyOf(byte* events, int index) => *(uint*)(events + (index * EventSize));

    public static unsafe int DataOf(byte* events, int index) => *(int*)(events + (index * EventSize) + DataOffset);

    [LibraryImport(C, EntryPoint = "epoll_create1", SetLastError = true)]
    public static partial int Create(int flags);

    [LibraryImport(C, EntryPoint = "epoll_ctl", SetLastError = true)]
    public static unsafe partial int Control(int epoll, int operation, int descriptor, byte* settings);

    [LibraryImport(C, EntryPoint = "epoll_wait", SetLastError = true)]
    public static unsafe partial int Wait(int epoll, byte* events, int most, int milliseconds);

    [LibraryImport(C, EntryPoint = "connect", SetLastError = true)]
    public static unsafe partial int Connect(int socket, byte* address, int length);

    [LibraryImport(C, EntryPoint = "recv", SetLastError = true)]
    public static unsafe partial nint Receive(int socket, byte* buffer, nuint length, int flags);

    [LibraryImport(C, EntryPoint = "send", SetLastError = true)]
    public static unsafe partial nint Send(int socket, byte* buffer, nuint length, int flags);

    [LibraryImport(C, EntryPoint = "timerfd_create", SetLastError = true)]
    public static partial int CreateTimer(int clock, int flags);

    [LibraryImport(C, EntryPoint = "timerfd_settime", SetLastError = true)]
    public static unsafe partial int SetTimer(int timer, int flags, TimerSetting* setting, TimerSetting* previous);

    [LibraryImport(C, EntryPoint = "read", SetLastError = true)]
    public static unsafe partial nint Read(int descriptor, byte* buffer, nuint length);

    /// <summary>Of one thread, or of the caller's own with zero; below zero only for the privileged.</summary>
    [LibraryImport(C, EntryPoint = "setpriority", SetLastError = true)]
    public static partial int SetPriority(int which, int who, int niceness);

    /// <summary>Of one thread, or of the caller's own with zero; a real-time policy only for the privileged.</summary>
    [LibraryImport(C, EntryPoint = "sched_setscheduler", SetLastError = true)]
    public static partial int SetScheduler(int thread, int policy, in int priority);

    [LibraryImport(C, EntryPoint = "close", SetLastError = true)]
    public static partial int Close(int descriptor);

    [LibraryImport(C, EntryPoint = "socket", SetLastError = true)]
    private static partial int CreateSocket(int family, int type, int protocol);

    [LibraryImport(C, EntryPoint = "setsockopt", SetLastError = true)]
    private static unsafe partial int SetOption(int socket, int level, int option, int* value, int length);

    [LibraryImport(C, EntryPoint = "getsockopt", SetLastError = true)]
    private static unsafe partial int GetOption(int socket, int level, int option, int* value, int* length);

    /// <summary><c>struct itimerspec</c>.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct TimerSetting
    {
        public long PeriodSeconds;
        public long PeriodNanoseconds;
        public long FirstSeconds;
        public long FirstNanoseconds;
    }
}
