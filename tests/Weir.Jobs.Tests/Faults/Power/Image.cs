using Weir.Jobs.Sqlite;
using Weir.Jobs.Tests.Sqlite;

namespace Weir.Jobs.Tests.Faults.Power;

/// <summary>A directory in which files are put as a fault left them, again and again. In memory, where there is room: its own syncs are of no interest.</summary>
/// <param name="store">The name of the file of jobs.</param>
internal sealed class Image(string store) : IDisposable
{
    private const string Memory = "/dev/shm";
    private const long Room = 1024 * 1024 * 1024;

    private readonly string _directory = Directory.CreateDirectory(Path.Combine(
        Directory.Exists(Memory) && new DriveInfo(Memory).AvailableFreeSpace > Room ? Memory : Path.GetTempPath(), $"weir-jobs-{Guid.NewGuid():N}")).FullName;

    public string Store => Path.Combine(_directory, store);

    /// <summary>How many there were.</summary>
    public int Count { get; private set; }

    public void Put(Dictionary<string, byte[]> files)
    {
        Count++;
        foreach (var file in Directory.GetFiles(_directory))
        {
            File.Delete(file);
        }

        foreach (var (name, bytes) in files)
        {
            File.WriteAllBytes(Path.Combine(_directory, name), bytes);
        }
    }

    public SqliteJobStore New() => new(Store, StoreDirectory.OwnerWait, TimeProvider.System);

    public void Dispose() => Directory.Delete(_directory, recursive: true);
}
