using Weir.Lab.Measuring;

namespace Weir.Lab.Load;

/// <summary>
/// Requests at a fixed rate, whether or not the server keeps up: each has an intended start, and its response time counts
/// from there, so that a stall of the server counts for all requests that were due during it. Each starts somewhere in its share
/// of the time, in every run at the same place.
/// </summary>
internal sealed class OpenModel(RequestSet requests, double rate, TimeSpan duration, TimeSpan? patience = null) : ILoadModel
{
    // Waiting longer than this for the last answers would show nothing new.
    private readonly long _patience = Clock.TicksOf((patience ?? TimeSpan.FromSeconds(10)).TotalSeconds);
    private readonly Dictionary<LoadConnection, long> _waiting = [];

    // Bounded by the number of connections.
    private readonly Stack<LoadConnection> _idle = new();
    private readonly Punctuality _punctuality = new();
    private long _began;
    private long _started;
    private long _ended;
    private readonly long _count = Math.Max(1, (long)(rate * duration.TotalSeconds));

    public LoadResult Result { get; } = new();

    public long NextDue => _started < _count && _idle.Count > 0 ? Intended(_started) : long.MaxValue;

    public bool IsDone { get; private set; }

    public void Begin(IReadOnlyList<LoadConnection> connections, long now)
    {
        _began = now;
        foreach (var connection in connections)
            _idle.Push(connection);
        Tick(now);
    }

    public void Ended(LoadConnection connection, long start, int status, long now)
    {
        Result.Response.Record((long)(Clock.MillisecondsBetween(start, now) * 1_000_000));
        if (status is 200 or 204)
            Result.Completed++;
        else
            Result.Errors++;
        _waiting.Remove(connection);
        _idle.Push(connection);
        _punctuality.Returned(now);
        Finish(now);
    }

    public void Broke(LoadConnection connection, long now)
    {
        Result.Errors += connection.InFlight;
        _waiting.Remove(connection);
        Finish(now);
    }

    /// <summary>Sends whatever is due, in order; without an idle connection it waits, and its response time grows.</summary>
    public void Tick(long now)
    {
        while (_started < _count && Intended(_started) <= now && _idle.TryPop(out var connection))
        {
            if (connection.IsBroken)
                continue;

            var intended = Intended(_started++);
            var (wanting, own) = _punctuality.Split(intended, now);
            Result.Wanting.Record((long)(Clock.MillisecondsBetween(0, wanting) * 1_000_000));
            Result.Lateness.Record((long)(Clock.MillisecondsBetween(0, own) * 1_000_000));
            _waiting[connection] = intended;
            connection.Enqueue(requests.Next(), intended);
            connection.Flush();
        }

        if (_idle.Count == 0)
            _punctuality.RanOut();
        if (now > Intended(_count) + _patience)
            GiveUp(now);
    }

    private long Intended(long number) => _began + Clock.TicksOf((number + Place(number)) / rate);

    // Multiples of the golden ratio fill the share evenly. A fixed beat would keep step with the kernel's tick, and measure where it began.
    private static double Place(long number) => number * 0.6180339887498949 % 1;

    // Those without an answer have waited at least until now, and count with that.
    private void GiveUp(long now)
    {
        foreach (var intended in _waiting.Values.Concat(NotSent()))
            Result.Response.Record((long)(Clock.MillisecondsBetween(intended, now) * 1_000_000));
        Result.Errors += _count - _ended;
        Result.Seconds = Clock.MillisecondsBetween(_began, now) / 1_000;
        IsDone = true;
    }

    private IEnumerable<long> NotSent()
    {
        for (var number = _started; number < _count; number++)
            yield return Intended(number);
    }

    private void Finish(long now)
    {
        _ended = Result.Completed + Result.Errors;
        IsDone = _ended == _count;
        Result.Seconds = Clock.MillisecondsBetween(_began, now) / 1_000;
    }
}
