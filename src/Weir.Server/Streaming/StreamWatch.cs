namespace Weir.Server.Streaming;

/// <summary>
/// One slow timer per stream: it says that a silent stream is alive, and gives up on a reader that takes nothing. It
/// fires when one of both may be due and not before.
/// </summary>
internal sealed class StreamWatch(ResponseStream stream, ItemBuffer buffer, StreamSettings settings) : IAsyncDisposable
{
    private ITimer? _timer;
    private long _openedAt;

    internal void Start()
    {
        _openedAt = settings.Now();
        if (settings.Heartbeat is not null || settings.ReaderStall is not null)
        {
            _timer = settings.Time.CreateTimer(static state => ((StreamWatch)state!).Check(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            Arm(_openedAt);
        }
    }

    /// <summary>Ends when no check runs any more: none of them may touch the response of a later request.</summary>
    public ValueTask DisposeAsync() => _timer?.DisposeAsync() ?? default;

    private void Check()
    {
        var now = settings.Now();
        if (buffer.SendingSince is var sending and not 0)
        {
            if (settings.ReaderStall is { } stall && now - sending >= stall)
            {
                stream.Stall();
                return;
            }
        }
        else if (settings.Heartbeat is { } heartbeat && now - Silence() >= heartbeat)
        {
            stream.Beat();
        }

        Arm(now);
    }

    // Timers count whole milliseconds; rounded up, none fires too early.
    private void Arm(long now) =>
        _timer!.Change(TimeSpan.FromMilliseconds(Math.Ceiling(settings.ToTimeSpan(Wait(now)).TotalMilliseconds)), Timeout.InfiniteTimeSpan);

    // How long until something may be due. A flush that begins after now cannot stall earlier than a whole time-out away.
    private long Wait(long now)
    {
        var wait = long.MaxValue;
        if (settings.ReaderStall is { } stall)
        {
            wait = buffer.SendingSince is var sending and not 0 ? sending + stall - now : stall;
        }

        if (settings.Heartbeat is { } heartbeat)
        {
            var rest = Silence() + heartbeat - now;
            wait = Math.Min(wait, rest > 0 ? rest : heartbeat);
        }

        return wait;
    }

    private long Silence() => Math.Max(_openedAt, buffer.LastSent);
}
