namespace Weir.Execution.Observation;

/// <summary>The slowest calls of the last hour and the last failed calls of one operation, eight of each. Any thread; allocates nothing after the first call of each.</summary>
internal sealed class KeptCalls
{
    /// <summary>How many of each are kept.</summary>
    public const int Most = 8;

    private static readonly TimeSpan Kept = TimeSpan.FromHours(1);

    private readonly Lock _gate = new();

    // Under _gate: in no order; the oldest failure is at _failures % Most.
    private KeptCall[]? _slowest;
    private KeptCall[]? _failed;
    private int _slow;
    private long _failures;

    // What a call must exceed to be among the slowest, in ticks. Read without the lock.
    private long _floor;

    /// <summary>Whether a call is to be offered to <see cref="AddSlow"/>.</summary>
    public bool IsSlow(TimeSpan time) => time.Ticks > Volatile.Read(ref _floor);

    /// <summary>A slow call has ended.</summary>
    public void AddSlow(in KeptCall call)
    {
        lock (_gate)
        {
            _slowest ??= new KeptCall[Most];
            if (_slow < Most)
            {
                _slowest[_slow++] = call;
            }
            else if (Least_NeedsLock() is var least && _slowest[least].Times.Total < call.Times.Total)
            {
                _slowest[least] = call;
            }

            SetFloor_NeedsLock();
        }
    }

    /// <summary>A call has failed.</summary>
    public void AddFailed(in KeptCall call)
    {
        lock (_gate)
        {
            _failed ??= new KeptCall[Most];
            _failed[_failures++ % Most] = call;
        }
    }

    /// <summary>The slowest first, without those that are older than an hour.</summary>
    public KeptCall[] Slowest(DateTimeOffset now)
    {
        lock (_gate)
        {
            Forget_NeedsLock(now);
            return _slowest is null ? [] : [.. _slowest.Take(_slow).OrderByDescending(static call => call.Times.Total)];
        }
    }

    /// <summary>The last failures, the newest first.</summary>
    public KeptCall[] Failed()
    {
        lock (_gate)
        {
            var calls = new KeptCall[Math.Min(Most, _failures)];
            for (var i = 0; i < calls.Length; i++)
            {
                calls[i] = _failed![(_failures - 1 - i) % Most];
            }

            return calls;
        }
    }

    /// <summary>Drops what is older than an hour, so that later calls can take its place.</summary>
    public void Forget(DateTimeOffset now)
    {
        lock (_gate)
        {
            Forget_NeedsLock(now);
        }
    }

    private void Forget_NeedsLock(DateTimeOffset now)
    {
        for (var i = _slow - 1; i >= 0; i--)
        {
            if (now - _slowest![i].At >= Kept)
            {
                _slowest[i] = _slowest[--_slow];
            }
        }

        SetFloor_NeedsLock();
    }

    private void SetFloor_NeedsLock() => Volatile.Write(ref _floor, _slow < Most ? 0 : _slowest![Least_NeedsLock()].Times.Total.Ticks);

    private int Least_NeedsLock()
    {
        var least = 0;
        for (var i = 1; i < _slow; i++)
        {
            least = _slowest![i].Times.Total < _slowest[least].Times.Total ? i : least;
        }

        return least;
    }
}
