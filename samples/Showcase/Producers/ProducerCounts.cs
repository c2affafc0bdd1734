using System.Diagnostics;
using System.IO.MemoryMappedFiles;

namespace Showcase;

/// <summary>
/// Counts the producers of this host and of its workers together, in a page of memory that they share: what a worker
/// has counted stays counted when it crashes. Used by all processes and threads concurrently.
/// </summary>
public sealed unsafe class ProducerCounts : IDisposable
{
    private readonly FileStream _file;
    private readonly MemoryMappedFile _map;
    private readonly MemoryMappedViewAccessor _view;
    private readonly Page* _page;

    private ProducerCounts(FileStream file, string path)
    {
        _file = file;
        Path = path;
        _map = MemoryMappedFile.CreateFromFile(file, null, sizeof(Page), MemoryMappedFileAccess.ReadWrite, HandleInheritability.None, leaveOpen: true);
        _view = _map.CreateViewAccessor();
        byte* start = null;
        _view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
        _page = (Page*)start;
    }

    /// <summary>The file behind the page; a worker opens it by this name.</summary>
    public string Path { get; }

    /// <summary>When a caller of an isolated producer last left, in ticks of the machine's monotonic clock. Written by the host.</summary>
    internal long LastDisconnect
    {
        get => Volatile.Read(ref _page->LastDisconnect);
        set => Volatile.Write(ref _page->LastDisconnect, value);
    }

    /// <summary>Makes the page; it goes with the host that made it, even when that is killed.</summary>
    public static ProducerCounts Create()
    {
        var file = Open(System.IO.Path.GetTempFileName(), FileOptions.DeleteOnClose);
        if (!OperatingSystem.IsLinux())
        {
            return new(file, file.Name);
        }

        // From now on it has no name that could be left behind; workers come to it through this process's handle.
        File.Delete(file.Name);
        return new(file, $"/proc/{Environment.ProcessId}/fd/{file.SafeFileHandle.DangerousGetHandle()}");
    }

    /// <summary>Opens the page that the host made.</summary>
    public static ProducerCounts Open(string path) => new(Open(path, FileOptions.None), path);

    /// <summary>Counts a producer that starts; dispose what is returned when it ends, however it ends.</summary>
    public Producer Start(CancellationToken cancellationToken)
    {
        Interlocked.Increment(ref _page->Started);
        return new(this, cancellationToken);
    }

    /// <summary>What was counted so far.</summary>
    public StopReport Report()
    {
        var ticks = Volatile.Read(ref _page->LastStopTicks);
        return new(
            Volatile.Read(ref _page->Started),
            Volatile.Read(ref _page->Finished),
            Volatile.Read(ref _page->StoppedEarly),
            ticks == 0 ? null : Math.Round(ticks * 1000.0 / Stopwatch.Frequency, 3));
    }

    public void Dispose()
    {
        _view.SafeMemoryMappedViewHandle.ReleasePointer();
        _view.Dispose();
        _map.Dispose();
        _file.Dispose();
    }

    internal void Finished() => Interlocked.Increment(ref _page->Finished);

    internal void StoppedEarly(long sinceDisconnect)
    {
        // Zero means that none was measured yet.
        Volatile.Write(ref _page->LastStopTicks, Math.Max(sinceDisconnect, 1));
        Interlocked.Increment(ref _page->StoppedEarly);
    }

    private static FileStream Open(string path, FileOptions options) =>
        new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0, options);

    private struct Page
    {
        internal long Started;
        internal long Finished;
        internal long StoppedEarly;
        internal long LastDisconnect;
        internal long LastStopTicks;
    }
}

/// <summary>How many producers were started, came to their end, and were stopped before it.</summary>
/// <param name="Started">Producers whose first item was asked for.</param>
/// <param name="Finished">Those that gave their last item.</param>
/// <param name="StoppedEarly">Those that ended before: their caller left, or they failed.</param>
/// <param name="LastStopMs">From the caller's leaving to the end of the producer that was stopped last; <c>null</c> when none was.</param>
public sealed record StopReport(long Started, long Finished, long StoppedEarly, double? LastStopMs);
