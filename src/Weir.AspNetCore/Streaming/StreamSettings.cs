using Weir.Runtime;

namespace Weir.AspNetCore.Streaming;

/// <summary>The options of streams, with times in the clock's own ticks. Immutable; one per entry point.</summary>
internal sealed class StreamSettings
{
    // The delay of a small request beside fast streams is about four times as long as all their slices together: it waits in the queue of
    // the thread pool for each step, from its first byte to its answer.
    private static readonly TimeSpan SliceLength = TimeSpan.FromMilliseconds(0.1);

    // Per processor: this many waiting work items are a few milliseconds of waiting.
    private const int CrowdedQueue = 8;

    internal StreamSettings(WeirServerOptions options, TimeProvider time)
    {
        Time = time;
        Slice = ToTicks(SliceLength);
        MostLate = ToTicks(TimeSpan.FromMilliseconds(500));
        FlushSize = options.FlushSize;
        FlushDelay = ToTicks(options.FlushDelay);
        Heartbeat = options.HeartbeatInterval is { } interval ? ToTicks(interval) : null;
        ReaderStall = options.ReaderStallTimeout is { } stall ? ToTicks(stall) : null;
    }

    internal TimeProvider Time { get; }

    /// <summary>How long a producer that never waits keeps its thread.</summary>
    internal long Slice { get; }

    /// <summary>Whether a stream at the end of the thread pool's queue will wait for a while.</summary>
    internal Func<bool> IsCrowded { get; init; } = static () => ThreadPool.PendingWorkItemCount > CrowdedQueue * Environment.ProcessorCount;

    /// <summary>Whether work waits for a thread of the thread pool: only then does a stream release its own.</summary>
    internal Func<bool> IsThreadWanted { get; init; } = static () => ThreadPool.PendingWorkItemCount > 0;

    /// <summary>For items that generated code cannot write.</summary>
    internal JsonValueSerializer? Serializer { get; init; }

    /// <summary>Bytes.</summary>
    internal int FlushSize { get; }

    /// <summary>How long an item may wait.</summary>
    internal long FlushDelay { get; }

    /// <summary>How long a stream may be silent; <c>null</c> means no limit.</summary>
    internal long? Heartbeat { get; }

    /// <summary>How long one flush may take; <c>null</c> means no limit.</summary>
    internal long? ReaderStall { get; }

    /// <summary>How late a timer is at most on a busy machine. If it is later, the process was not running: the host was suspended.</summary>
    internal long MostLate { get; }

    /// <summary>The clock plus one tick: never zero, which means "not" in the fields that hold a time.</summary>
    internal long Now() => Time.GetTimestamp() + 1;

    internal TimeSpan ToTimeSpan(long ticks) => TimeSpan.FromSeconds(Math.Max(0, (double)ticks / Time.TimestampFrequency));

    private long ToTicks(TimeSpan time) => (long)(time.TotalSeconds * Time.TimestampFrequency);
}
