namespace Weir.Cli.Tests.Jobs;

/// <summary>A clock in which pauses of up to ten seconds are over at once; longer timers, which are limits, never fire.</summary>
internal sealed class SkippingTime : TimeProvider
{
    private long _ticks;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override long GetTimestamp() => Interlocked.Read(ref _ticks);

    public override DateTimeOffset GetUtcNow() => DateTimeOffset.UnixEpoch.AddTicks(GetTimestamp());

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        if (dueTime < TimeSpan.Zero || dueTime > TimeSpan.FromSeconds(10))
        {
            return System.CreateTimer(callback, state, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        }

        Interlocked.Add(ref _ticks, dueTime.Ticks);
        return System.CreateTimer(callback, state, TimeSpan.Zero, Timeout.InfiniteTimeSpan);
    }
}
