using System.Runtime.InteropServices;

namespace Weir.Jobs.Sqlite.Interop;

/// <summary>What .NET has no call for on Linux and macOS.</summary>
internal static partial class LibC
{
    public const int LockExclusive = 2;
    public const int LockNoWait = 4;
    public const int ReadWrite = 2;

    /// <summary>The descriptor is not handed to programs that this process starts: they would keep its lock.</summary>
    public static int CloseOnExec => OperatingSystem.IsMacOS() ? 0x1000000 : 0x80000;

    /// <summary>What <see cref="Lock"/> fails with where another process has the lock.</summary>
    public static int WouldBlock => OperatingSystem.IsMacOS() ? 35 : 11;

    /// <summary>Opens a file that exists. .NET's own files take a lock of the same kind.</summary>
    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Open(string path, int flags);

    [LibraryImport("libc", EntryPoint = "flock", SetLastError = true)]
    public static partial int Lock(SafeHandle file, int operation);
}
