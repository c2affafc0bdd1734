using Weir.Protocol.Payloads;
using Weir.Worker.Channels;

namespace Weir.Worker.Calls;

/// <summary>
/// Sends what one call reports of its progress: the first report at once, later ones when <see cref="Interval"/> has passed since the one before. Of those that come in between
/// only the latest is kept, however many there are. Used concurrently; no report waits for the host.
/// </summary>
/// <param name="output">Where they are sent.</param>
/// <param name="time">The clock.</param>
/// <param name="callId">The call.</param>
internal sealed class CallProgress(ControlOutput output, TimeProvider time, ulong callId)
{
    /// <summary>Ten times a second: faster than it is read, and nothing beside the calls.</summary>
    public static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(100);

    private readonly object _lock = new();

    // Under the lock.
    private JobProgress? _waiting;
    private ITimer? _timer;
    private long? _sentAt;
    private bool _hasEnded;

    /// <summary>Sends a report, or keeps it until it may be sent. After the call's end it is dropped.</summary>
    public void Report(JobProgress progress)
    {
        lock (_lock)
        {
            if (_hasEnded)
            {
                return;
            }

            // While one waits the timer sends: this one, then.
            var mayBeSent = _waiting is null && (_sentAt is not { } sent || time.GetElapsedTime(sent) >= Interval);
            if (!mayBeSent || !TrySend_NeedsLock(progress))
            {
                Keep_NeedsLock(progress);
            }
        }
    }

    /// <summary>The call ends: sends the report that waits, unless the host reads too slowly. Before the outcome is sent.</summary>
    public void End()
    {
        lock (_lock)
        {
            _hasEnded = true;
            _timer?.Dispose();
            if (_waiting is { } progress)
            {
                TrySend_NeedsLock(progress);
            }

            _waiting = null;
        }
    }

    private void Keep_NeedsLock(JobProgress progress)
    {
        var isFirst = _waiting is null;
        _waiting = progress;
        if (isFirst)
        {
            Plan_NeedsLock();
        }
    }

    // Timers have another clock: one may fire a little early, which sends a little early.
    private void Plan_NeedsLock()
    {
        var due = _sentAt is { } sent && time.GetElapsedTime(sent) is var passed && passed < Interval ? Interval - passed : Interval;
        if (_timer is null)
        {
            _timer = time.CreateTimer(static progress => ((CallProgress)progress!).OnTimer(), this, due, Timeout.InfiniteTimeSpan);
        }
        else
        {
            _timer.Change(due, Timeout.InfiniteTimeSpan);
        }
    }

    private void OnTimer()
    {
        lock (_lock)
        {
            if (_hasEnded || _waiting is not { } progress)
            {
                return;
            }

            if (TrySend_NeedsLock(progress))
            {
                _waiting = null;
            }
            else
            {
                Plan_NeedsLock();
            }
        }
    }

    private bool TrySend_NeedsLock(JobProgress progress)
    {
        if (!output.TrySend(new ProgressPayload(progress.Fraction, progress.Text ?? ""), callId))
        {
            return false;
        }

        _sentAt = time.GetTimestamp();
        return true;
    }
}
