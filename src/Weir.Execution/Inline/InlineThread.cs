using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Inline;

/// <summary>
/// Which inline operation a thread is in: from the call of its method until the method returns, or returns its task. Only that thread
/// writes it; when the thread pool is starved, the heartbeat reads those of all threads.
/// </summary>
internal sealed class InlineThread
{
    private static readonly Lock Gate = new();

    // Protected by Gate. Bounded: one for each thread that is alive, and for those that ended since the last one was added.
    private static readonly List<InlineThread> All = [];

    [ThreadStatic]
    private static InlineThread? _current;

    private static bool _hasBegun;

    private readonly Thread _thread = Thread.CurrentThread;
    private readonly string? _folder;
    private volatile Operation? _operation;

    private InlineThread(string? folder) => _folder = folder;

    /// <summary>That of the calling thread.</summary>
    public static InlineThread Current => _current ?? Add();

    /// <summary>Whether it belongs to the thread pool: other threads, such as those of the lane, may block.</summary>
    public bool IsOfThreadPool { get; } = Thread.CurrentThread.IsThreadPoolThread;

    /// <summary>The operation; <c>null</c> outside of one.</summary>
    public Operation? Operation
    {
        get => _operation;
        set => _operation = value;
    }

    /// <summary>How long the calls on this thread took that took long, each without those inside it.</summary>
    public long LongMilliseconds { get; set; }

    /// <summary>What all threads of the thread pool do that are in an operation now.</summary>
    public static BlockedThreads FindBlocked()
    {
        InlineThread[] threads;
        lock (Gate)
        {
            threads = [.. All];
        }

        var states = threads.Where(static thread => thread.IsOfThreadPool).Select(static thread => (thread.Operation, thread.IsComputing)).Where(static one => one.Operation is not null).ToArray();
        var blocked = states.Where(static one => !one.IsComputing).GroupBy(static one => one.Operation!).Select(static threads => (threads.Key, threads.Count())).OrderByDescending(static one => one.Item2);
        return new BlockedThreads([.. blocked], states.Count(static one => one.IsComputing), OperatingSystem.IsLinux());
    }

    // A thread that waits for a processor has the state R, too.
    private bool IsComputing => _folder is not null && ProcStat.Read(_folder) is { State: 'R' };

    // The folder of the calling thread.
    private static string? FindFolder()
    {
        try
        {
            return OperatingSystem.IsLinux() && new FileInfo("/proc/thread-self").LinkTarget is { } target ? $"/proc/{target}" : null;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private static InlineThread Add()
    {
        // The first call of a process is not to be found, so that the first response does not wait for the file system.
        if (!Interlocked.Exchange(ref _hasBegun, true))
        {
            return new InlineThread(null);
        }

        var added = new InlineThread(FindFolder());
        lock (Gate)
        {
            All.RemoveAll(static one => !one._thread.IsAlive);
            All.Add(added);
        }

        return _current = added;
    }
}
