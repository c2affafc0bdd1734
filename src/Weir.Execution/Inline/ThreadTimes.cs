using System.Globalization;
using Weir.Execution.Processes.Linux.Interop;

namespace Weir.Execution.Inline;

/// <summary>Where the time of a thread went: until one moment, or between two.</summary>
/// <param name="Processor">While it ran.</param>
/// <param name="Queued">While it could run and no processor was free.</param>
/// <param name="Paused">While the garbage collector had all threads suspended.</param>
/// <param name="Turns">How often it was given a processor.</param>
internal sealed record ThreadTimes(TimeSpan Processor, TimeSpan Queued, TimeSpan Paused, long Turns)
{
    private const string Path = "/proc/thread-self/schedstat";

    /// <summary>Those of the calling thread until now; <c>null</c> where the system does not say: it is not Linux, or its kernel counts nothing.</summary>
    public static unsafe ThreadTimes? Read()
    {
        ThreadCalls.Time processor;
        return OperatingSystem.IsLinux() && KernelFile.Read(Path) is { } line && ParseQueue(line) is { } queue && ThreadCalls.GetTime(ThreadCalls.ProcessorTime, &processor) == 0
            ? new ThreadTimes(TimeSpan.FromSeconds(processor.Seconds) + FromNanoseconds(processor.Nanoseconds), queue.Waited, GC.GetTotalPauseDuration(), queue.Turns)
            : null;
    }

    /// <summary>What was added since an earlier moment.</summary>
    public ThreadTimes Since(ThreadTimes earlier) =>
        new(Processor - earlier.Processor, Queued - earlier.Queued, Paused - earlier.Paused, Turns - earlier.Turns);

    /// <summary>Parses "ran waited turns", the first two in nanoseconds (kernel: scheduler/sched-stats, "/proc/PID/schedstat").</summary>
    /// <returns><c>null</c> where the kernel counts nothing: every thread that runs has had a turn.</returns>
    internal static (TimeSpan Waited, long Turns)? ParseQueue(ReadOnlySpan<char> line)
    {
        Span<Range> fields = stackalloc Range[4];
        return line.Split(fields, ' ') == 3
            && long.TryParse(line[fields[1]], NumberStyles.None, CultureInfo.InvariantCulture, out var waited)
            && long.TryParse(line[fields[2]], NumberStyles.None, CultureInfo.InvariantCulture, out var turns)
            && turns > 0
                ? (FromNanoseconds(waited), turns)
                : null;
    }

    private static TimeSpan FromNanoseconds(long nanoseconds) => new(nanoseconds / TimeSpan.NanosecondsPerTick);
}
