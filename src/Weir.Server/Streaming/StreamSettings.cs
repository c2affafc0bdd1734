namespace Weir.Server.Streaming;

/// <summary>The options of streams, with times in the clock's own ticks. Immutable; one per door.</summary>
internal sealed class StreamSettings
{
    internal StreamSettings(WeirServerOptions options, TimeProvider time)
    {
        Time = time;
        FlushSize = options.FlushSize;
        FlushDelay = ToTicks(options.FlushDelay);
        Heartbeat = options.HeartbeatInterval is { } interval ? ToTicks(interval) : null;
        ReaderStall = options.ReaderStallTimeout is { } stall ? ToTicks(stall) : null;
    }

    internal TimeProvider Time { get; }

    /// <summary>Bytes.</summary>
    internal int FlushSize { get; }

    /// <summary>How long an item may wait.</summary>
    internal long FlushDelay { get; }

    /// <summary>How long a stream is silent at most; <c>null</c> means for ever.</summary>
    internal long? Heartbeat { get; }

    /// <summary>How long one flush may take; <c>null</c> means for ever.</summary>
    internal long? ReaderStall { get; }

    /// <summary>The clock, one tick ahead: never zero, which means "not" in the fields that hold a moment.</summary>
    internal long Now() => Time.GetTimestamp() + 1;

    internal TimeSpan ToTimeSpan(long ticks) => TimeSpan.FromSeconds(Math.Max(0, (double)ticks / Time.TimestampFrequency));

    private long ToTicks(TimeSpan time) => (long)(time.TotalSeconds * Time.TimestampFrequency);
}
