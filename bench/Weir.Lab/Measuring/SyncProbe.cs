namespace Weir.Lab.Measuring;

/// <summary>How long the disk under a directory takes until what was written is safe: 4 KB and a sync, as a small commit is.</summary>
internal sealed class SyncProbe : IDisposable
{
    private const int Page = 4096;
    private const int Pages = 1_024;

    private readonly byte[] _page = new byte[Page];
    private readonly string _path;
    private readonly Microsoft.Win32.SafeHandles.SafeFileHandle _file;
    private long _next;

    public SyncProbe(string directory)
    {
        _path = Path.Combine(directory, $"sync-{Guid.NewGuid():N}");
        _file = File.OpenHandle(_path, FileMode.CreateNew, FileAccess.Write);
    }

    /// <summary>The median of so many, in milliseconds.</summary>
    public static double Median(string directory, int count)
    {
        using var probe = new SyncProbe(directory);
        var times = Enumerable.Range(0, count).Select(_ => probe.Once()).Order().ToList();
        return times[times.Count / 2];
    }

    /// <summary>One, in milliseconds.</summary>
    public double Once()
    {
        var began = Clock.Now;
        RandomAccess.Write(_file, _page, _next++ % Pages * Page);
        RandomAccess.FlushToDisk(_file);
        return Clock.MillisecondsBetween(began, Clock.Now);
    }

    public void Dispose()
    {
        _file.Dispose();
        File.Delete(_path);
    }
}
