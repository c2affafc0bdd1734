namespace Weir.AspNetCore.Streaming;

/// <summary>
/// One slow timer per stream: it sends the sign that a silent stream is alive, and aborts the response of a reader that takes nothing.
/// It fires when one of the two may be due and not before.
/// </summary>
internal sealed class StreamWatch(ResponseStream stream, ItemBuffer buffer, StreamSettings settings) : IAsyncDisposable
{
    private ITimer? _timer;
    private long _openedAt;

    // When the next check is due, and when a check last was so late that the host must have been suspended.
    private long _due;
    private long _resumedAt = long.MinValue;

    internal void Start()
    {
        _openedAt = settings.Now();
        if (settings.Heartbeat is not null || settings.ReaderStall is not null)
        {
            _timer = settings.Time.CreateTimer(static state => ((StreamWatch)state!).Run(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            Arm(_openedAt);
        }
    }

    /// <summary>Completes when no check runs any more: none of them may use the response of a later request.</summary>
    public ValueTask DisposeAsync() => _timer?.DisposeAsync() ?? default;

    // A timer must not throw: a check that fails ends its stream.
    private void Run()
    {
        try
        {
            Check();
        }
        catch (Exception)
        {
            stream.Stall();
        }
    }

    private void Check()
    {
        var now = settings.Now();
        if (buffer.SendingSince is var sending and not 0)
        {
            if (settings.ReaderStall is { } stall && now - Math.Max(sending, _resumedAt) >= stall)
            {
                if (now - _due < settings.MostLate || _resumedAt > sending)
                {
                    stream.Stall();
                    return;
                }

                // The host was suspended, and its reader with it: the time counts from now. Once for each flush: if the thread pool is starved
                // every timer is late.
                _resumedAt = now;
            }
        }
        else if (settings.Heartbeat is { } heartbeat && now - Silence() >= heartbeat)
        {
            stream.Beat();
        }

        Arm(now);
    }

    // Timers count whole milliseconds; rounded up, none fires too early.
    private void Arm(long now)
    {
        var wait = Wait(now);
        _due = now + wait;
        _timer!.Change(TimeSpan.FromMilliseconds(Math.Ceiling(settings.ToTimeSpan(wait).TotalMilliseconds)), Timeout.InfiniteTimeSpan);
    }

    // How long until something may be due. A flush that begins after now cannot stall earlier than a whole timeout from now.
    private long Wait(long now)
    {
        var wait = long.MaxValue;
        if (settings.ReaderStall is { } stall)
        {
            wait = buffer.SendingSince is var sending and not 0 ? Math.Max(sending, _resumedAt) + stall - now : stall;
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
