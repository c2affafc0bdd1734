using System.Runtime.InteropServices;

namespace Weir.Execution.Processes.Linux.Interop;

/// <summary>The error numbers that this code handles, and their text.</summary>
internal static class Errno
{
    public const int NotPermitted = 1;
    public const int NoEntry = 2;
    public const int NoSuchProcess = 3;
    public const int Interrupted = 4;
    public const int TryAgain = 11;
    public const int NoMemory = 12;
    public const int Invalid = 22;
    public const int TooManyFiles = 24;
    public const int NoSystemCall = 38;
    public const int NoBuffers = 105;

    /// <summary>The error number of the last call on this thread that was declared with SetLastError.</summary>
    public static int Last => Marshal.GetLastPInvokeError();

    public static string Describe(int errno) => $"errno {errno} ({Marshal.GetPInvokeErrorMessage(errno)})";
}
