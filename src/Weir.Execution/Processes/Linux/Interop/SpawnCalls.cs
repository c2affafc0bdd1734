using System.Runtime.InteropServices;

namespace Weir.Execution.Processes.Linux.Interop;

/// <summary>posix_spawn(3) and what prepares it. All return the error number itself, not -1.</summary>
internal static unsafe partial class SpawnCalls
{
    public const short SetProcessGroup = 2;
    public const short SetSignalDefaults = 4;
    public const short SetSignalMask = 8;

    // The opaque structures are 80 and 336 bytes in glibc, less in musl.
    public const int FileActionsSize = 256;
    public const int AttributesSize = 512;
    public const int SignalSetSize = 128;

    [LibraryImport("libc", EntryPoint = "posix_spawn")]
    public static partial int Spawn(int* pid, byte* path, void* fileActions, void* attributes, byte** arguments, byte** environment);

    [LibraryImport("libc", EntryPoint = "posix_spawn_file_actions_init")]
    public static partial int InitFileActions(void* fileActions);

    [LibraryImport("libc", EntryPoint = "posix_spawn_file_actions_destroy")]
    public static partial int DestroyFileActions(void* fileActions);

    [LibraryImport("libc", EntryPoint = "posix_spawn_file_actions_adddup2")]
    public static partial int AddDuplicate(void* fileActions, int source, int target);

    [LibraryImport("libc", EntryPoint = "posix_spawn_file_actions_addopen")]
    public static partial int AddOpen(void* fileActions, int target, byte* path, int flags, uint mode);

    // glibc 2.29, musl 1.1.24; .NET 10 supports nothing older.
    [LibraryImport("libc", EntryPoint = "posix_spawn_file_actions_addchdir_np")]
    public static partial int AddChangeDirectory(void* fileActions, byte* path);

    [LibraryImport("libc", EntryPoint = "posix_spawnattr_init")]
    public static partial int InitAttributes(void* attributes);

    [LibraryImport("libc", EntryPoint = "posix_spawnattr_destroy")]
    public static partial int DestroyAttributes(void* attributes);

    [LibraryImport("libc", EntryPoint = "posix_spawnattr_setflags")]
    public static partial int SetFlags(void* attributes, short flags);

    [LibraryImport("libc", EntryPoint = "posix_spawnattr_setpgroup")]
    public static partial int SetGroup(void* attributes, int group);

    [LibraryImport("libc", EntryPoint = "posix_spawnattr_setsigmask")]
    public static partial int SetMask(void* attributes, void* signals);

    [LibraryImport("libc", EntryPoint = "posix_spawnattr_setsigdefault")]
    public static partial int SetDefaults(void* attributes, void* signals);

    [LibraryImport("libc", EntryPoint = "sigemptyset")]
    public static partial int EmptySignals(void* signals);

    [LibraryImport("libc", EntryPoint = "sigfillset")]
    public static partial int FillSignals(void* signals);
}
