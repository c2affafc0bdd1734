using System.Runtime.InteropServices;

namespace Weir.Execution.Processes.Linux.Interop;

/// <summary>Memory files (memfd), and their mapping.</summary>
internal static unsafe partial class MemoryCalls
{
    public const uint CloseOnExec = 1;
    public const uint AllowSealing = 2;

    /// <summary>Linux 6.3; older kernels return EINVAL.</summary>
    public const uint NoExecutable = 8;

    public const int AddSeals = 1033;
    public const int SealSeals = 1;
    public const int SealShrink = 2;
    public const int SealGrow = 4;
    public const int SealWrite = 8;

    public const int Readable = 1;
    public const int Writable = 2;
    public const int Shared = 1;

    [LibraryImport("libc", EntryPoint = "memfd_create", SetLastError = true)]
    public static partial int Create(byte* name, uint flags);

    [LibraryImport("libc", EntryPoint = "ftruncate", SetLastError = true)]
    public static partial int SetLength(int descriptor, nint length);

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    public static partial nint Map(nint address, nuint length, int protection, int flags, int descriptor, nint offset);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    public static partial int Unmap(nint address, nuint length);
}
