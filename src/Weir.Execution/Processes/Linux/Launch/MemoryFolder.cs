using System.Globalization;

namespace Weir.Execution.Processes.Linux.Launch;

/// <summary>
/// A folder in memory, for the report of a program that can write only to a file: on the tmpfs at /dev/shm, readable by the user of the host alone, removed after use.
/// It has a name, so that of a host that was killed during the use remains: the next host of the user removes it.
/// </summary>
internal sealed class MemoryFolder : IDisposable
{
    private const string Root = "/dev/shm";
    private const string Prefix = "weir-stacks-";

    private static readonly Lazy<bool> IsUsable = new(static () => IsInMemory() && RemoveLeft());

    private MemoryFolder(string path) => FullPath = path;

    public string FullPath { get; }

    /// <summary><c>null</c> where there is no such file system: nothing is written to a disk instead.</summary>
    public static MemoryFolder? TryCreate()
    {
        if (!OperatingSystem.IsLinux() || !IsUsable.Value)
        {
            return null;
        }

        try
        {
            var name = string.Create(CultureInfo.InvariantCulture, $"{Prefix}{Environment.ProcessId}-{Guid.NewGuid():N}");
            return new MemoryFolder(Directory.CreateDirectory(Path.Combine(Root, name), UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute).FullName);
        }
        catch (Exception refused) when (refused is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    public void Dispose() => Remove(FullPath);

    private static bool IsInMemory()
    {
        try
        {
            return new DriveInfo(Root) is { IsReady: true, DriveFormat: "tmpfs" };
        }
        catch (Exception missing) when (missing is IOException or UnauthorizedAccessException or ArgumentException)
        {
            return false;
        }
    }

    // Once per host. The process id of another host that lives in another container may look free here: then that host loses the stack that it is reading, and nothing else.
    private static bool RemoveLeft()
    {
        try
        {
            foreach (var path in Directory.EnumerateDirectories(Root, Prefix + "*"))
            {
                var processId = Path.GetFileName(path)[Prefix.Length..].Split('-')[0];
                if (!Directory.Exists($"/proc/{processId}"))
                {
                    Remove(path);
                }
            }
        }
        catch (Exception refused) when (refused is IOException or UnauthorizedAccessException)
        {
            // It is another user's, or another host removes it too.
        }

        return true;
    }

    private static void Remove(string path)
    {
        try
        {
            Directory.Delete(path, recursive: true);
        }
        catch (Exception refused) when (refused is IOException or UnauthorizedAccessException)
        {
            // Another user's, or gone.
        }
    }
}
