namespace Weir.Jobs.PostgreSql.Replicas;

/// <summary>
/// What a process may conclude from the answers of its database, by its own monotonic clock: when others may be presumed lost, and when its own lease is in danger. Any thread.
/// </summary>
/// <param name="lease">How long a process may go without a renewal before others presume that it is gone.</param>
/// <param name="time">The clock.</param>
internal sealed class LeaseClock(TimeSpan lease, TimeProvider time)
{
    private static readonly TimeSpan MostMargin = TimeSpan.FromSeconds(5);

    private readonly Lock _gate = new();

    // Under _gate. When the last renewal that was answered was sent, and when its answer came.
    private long _sent = time.GetTimestamp();
    private long _answered;

    // Under _gate. Since when each renewal was answered in time; null after one that was not.
    private long? _answers;

    // Under _gate. The time of the database at the last renewal.
    private DateTime _database;
    private bool _isLost;

    /// <summary>How long a process waits between two renewals.</summary>
    public TimeSpan Interval { get; } = lease / 6;

    /// <summary>How much time answers may be apart: two renewals. A process that renews has not used more than half of its lease after that.</summary>
    private TimeSpan Gap { get; } = lease / 3;

    /// <summary>How long before its end a lease that was not renewed is given up: 5 s, of a short one a sixth.</summary>
    private TimeSpan Margin { get; } = lease / 6 < MostMargin ? lease / 6 : MostMargin;

    /// <summary>A timestamp, to be handed back with the answer to what is sent now.</summary>
    public long Now => time.GetTimestamp();

    /// <summary>How long it takes until the own lease is in danger: zero when it is.</summary>
    public TimeSpan UntilDanger
    {
        get
        {
            lock (_gate)
            {
                var left = lease - Margin - time.GetElapsedTime(_sent);
                return left > TimeSpan.Zero ? left : TimeSpan.Zero;
            }
        }
    }

    /// <summary>A renewal was answered.</summary>
    /// <param name="sent">When it was sent.</param>
    /// <param name="database">The time of the database when it was applied.</param>
    public void Renewed(long sent, DateTime database)
    {
        lock (_gate)
        {
            var now = time.GetTimestamp();
            var apart = time.GetElapsedTime(_answered, now);

            // A database that was stopped, a clock that was set, a machine that slept, a process that was stopped: others may have had no chance to renew.
            var isGapless = apart <= Gap && (database - _database - apart).Duration() <= Gap;
            _answers = isGapless ? _answers ?? now : now;
            (_sent, _answered, _database, _isLost) = (sent, now, database, false);
        }
    }

    /// <summary>A renewal was not answered.</summary>
    public void Failed()
    {
        lock (_gate)
        {
            _answers = null;
        }
    }

    /// <summary>Whether others whose lease is over may be presumed lost: all renewals of this process were answered for one whole lease.</summary>
    /// <param name="before">By the time of the database, up to when: it may stop before it does what is asked.</param>
    public bool MayDeclare(out DateTime before)
    {
        lock (_gate)
        {
            before = _database + Gap;
            return _answers is { } since && time.GetElapsedTime(since) >= lease && time.GetElapsedTime(_answered) <= Gap;
        }
    }

    /// <summary>Whether the own lease is in danger, and was not at the last call: <c>true</c> once until the next renewal.</summary>
    public bool TryLose()
    {
        lock (_gate)
        {
            if (_isLost || time.GetElapsedTime(_sent) < lease - Margin)
            {
                return false;
            }

            return _isLost = true;
        }
    }

    /// <summary>Others presume that this process is gone. <c>true</c> unless its lease was given up before.</summary>
    public bool Lose()
    {
        lock (_gate)
        {
            var isNew = !_isLost;
            _isLost = true;
            return isNew;
        }
    }
}
