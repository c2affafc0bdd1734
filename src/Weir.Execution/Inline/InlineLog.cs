using Microsoft.Extensions.Logging;

namespace Weir.Execution.Inline;

/// <summary>The log messages about inline operations and the thread pool on which they run.</summary>
internal static partial class InlineLog
{
    private const string Page = "See docs/guide/slow-under-load.md.";

    // As many operations as a line names.
    private const int MostNamed = 5;

    // From this share of the processors on they are what is missing.
    private const double Busy = 0.75;

    /// <summary>An operation blocks threads of the thread pool.</summary>
    /// <param name="logger">Receives the line.</param>
    /// <param name="operation">The operation.</param>
    /// <param name="milliseconds">How long its last call took, until the method returned.</param>
    /// <param name="processor">The processor time of that call.</param>
    public static void Blocks(ILogger logger, Operation operation, long milliseconds, TimeSpan processor)
    {
        var type = operation.Service.TypeName;
        if (operation.IsSynchronous)
        {
            SynchronousBlocks(logger, operation.FullName, milliseconds, processor.TotalMilliseconds, type);
        }
        else
        {
            AsynchronousBlocks(logger, operation.FullName, milliseconds, processor.TotalMilliseconds, type);
        }
    }

    /// <summary>Work waits for a thread of the thread pool.</summary>
    /// <param name="logger">Receives the line.</param>
    /// <param name="waited">How long.</param>
    /// <param name="blocked">What the threads in operations do.</param>
    /// <param name="busy">The share of the processors that the process used during that time, from 0 to 1.</param>
    public static void Starved(ILogger logger, TimeSpan waited, BlockedThreads blocked, double busy)
    {
        var (milliseconds, threads, queued, percent) = (waited.TotalMilliseconds, ThreadPool.ThreadCount, ThreadPool.PendingWorkItemCount, 100 * busy);
        var isBusy = busy >= Busy || blocked.Computing >= Environment.ProcessorCount;
        if (blocked.Count > blocked.Computing && (blocked.AreKnown || !isBusy))
        {
            var named = string.Join(", ", blocked.Operations.Take(MostNamed).Select(static one => $"{one.Operation} ({one.Threads})"));
            StarvedByOperations(logger, milliseconds, queued, blocked.Count, threads, named);
        }
        else if (isBusy)
        {
            StarvedOfProcessors(logger, milliseconds, queued, blocked.Computing, threads, percent);
        }
        else
        {
            StarvedByOthers(logger, milliseconds, queued, threads, percent, Environment.ProcessId);
        }
    }

    [LoggerMessage(4406, LogLevel.Information, "The thread pool runs new work again; it was starved for {Seconds:0.0} s.")]
    public static partial void StarvationEnded(ILogger logger, double seconds);

    [LoggerMessage(4401, LogLevel.Warning, "{Operation} blocks the threads of the thread pool, which all requests need: its last call took {Milliseconds} ms, of which a processor worked {ProcessorMilliseconds:0.0} ms. Write [Blocking] above its method in {Type}, and it runs on the lane, whose threads may block; or [Isolated], and it runs in a worker. " + Page)]
    private static partial void SynchronousBlocks(ILogger logger, string operation, long milliseconds, double processorMilliseconds, string type);

    [LoggerMessage(4402, LogLevel.Warning, "{Operation} blocks the threads of the thread pool, which all requests need: before its first await its last call took {Milliseconds} ms, of which a processor worked {ProcessorMilliseconds:0.0} ms. In its method in {Type}, await what it waits for; where that has no asynchronous form, make the method synchronous and write [Blocking] above it. " + Page)]
    private static partial void AsynchronousBlocks(ILogger logger, string operation, long milliseconds, double processorMilliseconds, string type);

    [LoggerMessage(4403, LogLevel.Warning, "The thread pool is starved: work has waited {Milliseconds:0} ms for a thread, and {Queued} items are queued. {Blocked} of {Threads} threads are blocked by these operations: {Operations}. Write [Blocking] above the method of a synchronous one; let an asynchronous one await what it waits for. " + Page)]
    private static partial void StarvedByOperations(ILogger logger, double milliseconds, long queued, int blocked, int threads, string operations);

    [LoggerMessage(4404, LogLevel.Warning, "The processors are busy: work has waited {Milliseconds:0} ms for a thread of the thread pool, and {Queued} items are queued. {Computing} of {Threads} threads compute in operations, and this process used {Percent:0} % of its processors. Limit how many calls compute at a time, or add processors. " + Page)]
    private static partial void StarvedOfProcessors(ILogger logger, double milliseconds, long queued, int computing, int threads, double percent);

    [LoggerMessage(4405, LogLevel.Warning, "The thread pool is starved: work has waited {Milliseconds:0} ms for one of its {Threads} threads, {Queued} items are queued, and this process used {Percent:0} % of its processors. No thread is blocked between the start of an operation and its first await: the code that blocks is behind an await, or it is no operation. 'dotnet-stack report --process-id {ProcessId}' shows it. " + Page)]
    private static partial void StarvedByOthers(ILogger logger, double milliseconds, long queued, int threads, double percent, int processId);
}
