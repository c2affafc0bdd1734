using System.Runtime.InteropServices;

namespace Weir.Cli.Terminal;

/// <summary>Finds out what a name leads to without opening it: opening a pipe waits for its other end, and opening a device does something.</summary>
internal static unsafe partial class SpecialFiles
{
    private const int CurrentFolder = -100; // AT_FDCWD
    private const uint OnlyType = 1; // STATX_TYPE
    private const int ModeAt = 28;
    private const int TypeMask = 0xF000;

    /// <summary>What it is, such as <c>a pipe</c>; <c>null</c> for a file, for what is not there, and on systems other than Linux.</summary>
    public static string? KindOf(string path)
    {
        if (!OperatingSystem.IsLinux())
        {
            return null;
        }

        var status = stackalloc byte[256];
        try
        {
            if (Status(CurrentFolder, path, 0, OnlyType, status) != 0)
            {
                return null;
            }
        }
        catch (EntryPointNotFoundException)
        {
            // An old library of C.
            return null;
        }

        return (*(ushort*)(status + ModeAt) & TypeMask) switch
        {
            0x1000 => "a pipe",
            0x2000 or 0x6000 => "a device",
            0x4000 => "a folder",
            0xC000 => "a socket",
            _ => null,
        };
    }

    [LibraryImport("libc", EntryPoint = "statx", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Status(int folder, string path, int flags, uint mask, byte* status);
}
