namespace Weir.Jobs.Tests.Sqlite;

/// <summary>A directory of its own for the files of a test.</summary>
internal sealed class StoreDirectory : IDisposable
{
    /// <summary>A process that another test starts has the descriptor of the lock, too, between fork and exec: then the lock outlives its owner for a moment.</summary>
    public static readonly TimeSpan OwnerWait = TimeSpan.FromSeconds(10);

    public StoreDirectory() => Name = Directory.CreateTempSubdirectory("weir-jobs-").FullName;

    public string Name { get; }

    public string File => Path.Combine(Name, "jobs.db");

    /// <summary>The files as a process that is killed leaves them, in another directory.</summary>
    public StoreDirectory Copy()
    {
        var copy = new StoreDirectory();
        foreach (var suffix in new[] { "", "-wal" })
        {
            if (System.IO.File.Exists(File + suffix))
            {
                // .NET's own copy takes a lock, which is no business of the store that has the file.
                System.IO.File.WriteAllBytes(copy.File + suffix, ReadAll(File + suffix));
            }
        }

        return copy;
    }

    public void Dispose() => Directory.Delete(Name, recursive: true);

    private static byte[] ReadAll(string path)
    {
        using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        var bytes = new byte[file.Length];
        file.ReadExactly(bytes);
        return bytes;
    }
}
