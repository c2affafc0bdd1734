using System.Diagnostics;
using System.Globalization;

namespace Weir.Jobs.Tests.Faults;

/// <summary>A file system of a few megabytes in memory.</summary>
internal sealed class SmallDisk : IDisposable
{
    private SmallDisk(string name) => Name = name;

    public string Name { get; }

    private string Ballast => Path.Combine(Name, "ballast");

    /// <summary>Mounts it.</summary>
    /// <returns><c>null</c> where this process may not.</returns>
    public static SmallDisk? TryMount(int megabytes)
    {
        var name = Directory.CreateTempSubdirectory("weir-disk-").FullName;
        if (OperatingSystem.IsLinux() && Run("mount", "-t", "tmpfs", "-o", string.Create(CultureInfo.InvariantCulture, $"size={megabytes}m"), "none", name))
        {
            return new SmallDisk(name);
        }

        Directory.Delete(name);
        return null;
    }

    /// <summary>Uses up what is free.</summary>
    /// <param name="leave">But for so many bytes.</param>
    public void Fill(long leave)
    {
        using var file = File.OpenHandle(Ballast, FileMode.Create, FileAccess.Write);
        var bytes = new byte[64 * 1024];
        try
        {
            for (var length = 0L; new DriveInfo(Name).AvailableFreeSpace > leave; length += bytes.Length)
            {
                RandomAccess.Write(file, bytes, length);
            }
        }
        catch (IOException)
        {
            // It is full.
        }
    }

    public void Empty() => File.Delete(Ballast);

    public void Dispose()
    {
        if (Run("umount", Name))
        {
            Directory.Delete(Name);
        }
    }

    private static bool Run(string command, params string[] arguments)
    {
        try
        {
            using var process = Process.Start(new ProcessStartInfo(command, arguments) { RedirectStandardError = true })!;
            process.WaitForExit();
            return process.ExitCode == 0;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return false;
        }
    }
}
