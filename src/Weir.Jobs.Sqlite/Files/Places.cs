using System.Diagnostics;
using Microsoft.Win32.SafeHandles;

namespace Weir.Jobs.Sqlite.Files;

/// <summary>The directory in which the file of jobs lies: what kind of file system it is, how fast it syncs, what is free.</summary>
internal static class Places
{
    private const int Probes = 5;

    // FUSE is no sign of a network: containers use it for local files.
    private static readonly string[] Networks = ["network", "nfs", "cifs", "smb", "9p", "v9fs", "afs", "ncp", "fuse.sshfs"];

    /// <summary>Refuses a file system whose locks and syncs are those of another machine.</summary>
    /// <exception cref="InvalidOperationException">It is one, or there is no such directory (WEIR3027).</exception>
    public static void Check(string path)
    {
        var directory = Path.GetDirectoryName(path)!;
        if (!Directory.Exists(directory))
        {
            throw new InvalidOperationException($"{WeirCodes.JobStoreUnusable}: the directory '{directory}' for '{Path.GetFileName(path)}' does not exist: create it, or name another file.");
        }

        if (Format(path) is var format && IsNetwork(format))
        {
            throw new InvalidOperationException(
                $"{WeirCodes.JobStoreUnusable}: '{path}' is on a network file system ({format}), where a file of jobs can be damaged: name a file on a local disk.");
        }
    }

    /// <summary>The file itself, where the path or its directory is a link: two names of one file have one owner.</summary>
    public static string Resolve(string path)
    {
        var full = Path.GetFullPath(path);
        var directory = Path.GetDirectoryName(full)!;
        if (new DirectoryInfo(directory) is { Exists: true } folder && folder.ResolveLinkTarget(returnFinalTarget: true) is { } place)
        {
            full = Path.Combine(place.FullName, Path.GetFileName(full));
        }

        return new FileInfo(full) is { Exists: true } file && file.ResolveLinkTarget(returnFinalTarget: true) is { } target ? target.FullName : full;
    }

    /// <summary>Whether a file system of this name is one of a network.</summary>
    public static bool IsNetwork(string format) => Networks.Any(name => format.StartsWith(name, StringComparison.OrdinalIgnoreCase));

    /// <summary>How many bytes may still be written beside a file.</summary>
    public static long Free(string path)
    {
        try
        {
            return Drive(path).AvailableFreeSpace;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            // A write will tell.
            return long.MaxValue;
        }
    }

    /// <summary>The middle of how long five small writes take until they are on the disk, by the call that SQLite makes: this build of it has <c>fsync</c>.</summary>
    /// <returns><c>null</c> where that was not possible, on a full disk for example.</returns>
    public static TimeSpan? MeasureSync(string path)
    {
        try
        {
            return Measure(path + "-probe");
        }
        catch (IOException)
        {
            return null;
        }
    }

    private static TimeSpan Measure(string probe)
    {
        Span<TimeSpan> times = stackalloc TimeSpan[Probes];
        using (var file = File.OpenHandle(probe, FileMode.Create, FileAccess.Write, FileShare.None, FileOptions.DeleteOnClose))
        {
            var bytes = new byte[4096];

            // The first one makes the file larger, the others are like those of a log in use.
            Sync(file, bytes);
            foreach (ref var time in times)
            {
                var began = Stopwatch.GetTimestamp();
                Sync(file, bytes);
                time = Stopwatch.GetElapsedTime(began);
            }
        }

        times.Sort();
        return times[Probes / 2];
    }

    private static DriveInfo Drive(string path) => new(OperatingSystem.IsWindows() ? Path.GetPathRoot(path)! : Path.GetDirectoryName(path)!);

    // Windows has the format of the disk of the other machine.
    private static string Format(string path)
    {
        try
        {
            return Drive(path) is var drive && OperatingSystem.IsWindows() && drive.DriveType == DriveType.Network ? "network" : drive.DriveFormat;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return "";
        }
    }

    private static void Sync(SafeFileHandle file, byte[] bytes)
    {
        RandomAccess.Write(file, bytes, 0);
        RandomAccess.FlushToDisk(file);
    }
}
