using Weir.Load.Measuring;
using Weir.Load.Requests;

namespace Weir.Load.Raw;

/// <summary>
/// Requests when they are due, whether or not the server keeps up: each has an intended start, and its response time counts
/// from there, so that a stall of the server counts for all requests that were due during it. Without an idle connection a request waits;
/// none is skipped.
/// </summary>
internal sealed class OpenModel(RequestSet requests, Arrivals arrivals, TimeSpan duration, long most, TimeSpan patience) : ILoadModel
{
    private readonly long _patience = Stamp.Ticks(patience);

    // Bounded by the number of connections.
    private readonly Stack<LoadConnection> _idle = new();
    private readonly Punctuality _punctuality = new();
    private IReadOnlyList<LoadConnection> _connections = [];
    private Schedule? _schedule;
    private long _countsFrom;
    private int _inFlight;

    /// <summary>At a rate, each somewhere in its share of the time.</summary>
    /// <param name="requests">What to send.</param>
    /// <param name="rate">Requests per second.</param>
    /// <param name="duration">For how long.</param>
    /// <param name="patience">How long the last ones may take after that. Waiting longer would show nothing new.</param>
    public OpenModel(RequestSet requests, double rate, TimeSpan duration, TimeSpan? patience = null)
        : this(requests, Arrivals.Spread(rate), duration, Math.Max(1, (long)(rate * duration.TotalSeconds)), patience ?? TimeSpan.FromSeconds(10))
    {
    }

    public LoadResult Result { get; } = new();

    /// <summary>For how long nothing is counted at the begin; part of the duration.</summary>
    public TimeSpan Skip { get; init; }

    public long NextDue => _idle.Count > 0 ? _schedule!.Next : long.MaxValue;

    public bool IsDone { get; private set; }

    public void Begin(IReadOnlyList<LoadConnection> connections, long now)
    {
        _connections = connections;
        _countsFrom = now + Stamp.Ticks(Skip);
        _schedule = new Schedule(arrivals, now, duration, most);
        foreach (var connection in connections)
        {
            _idle.Push(connection);
        }

        Tick(now);
    }

    public bool Counts(Exchange exchange, long now) => exchange.Start >= _countsFrom;

    public void Ready(LoadConnection connection, long now)
    {
        _idle.Push(connection);
        _punctuality.Returned(now);
    }

    public void Ended(Exchange exchange, int status, long now)
    {
        if (Counts(exchange, now))
        {
            Result.Answered(exchange.Start, exchange.Sent, status, now, now <= _schedule!.End);
        }

        _inFlight--;
        Finish(now);
    }

    public void Failed(Exchange exchange, string kind, long now)
    {
        if (!Counts(exchange, now))
        {
            // Not counted.
        }
        else if (kind == ErrorKinds.TimedOut)
        {
            Result.TimedOut(exchange.Start, exchange.Sent, now);
        }
        else
        {
            Result.Failed(kind);
        }

        _inFlight--;
        Finish(now);
    }

    public void Stop(long now)
    {
        Result.IsStopped = true;
        Result.Unfinished = _connections.Count(connection => connection.InFlight > 0 && Counts(connection.Oldest, now)) + _schedule!.TakeDue(_countsFrom, now);
        Result.Seconds = SecondsUntil(now);
        IsDone = true;
    }

    /// <summary>Sends whatever is due, in order; without an idle connection it waits, and its response time grows.</summary>
    public void Tick(long now)
    {
        var schedule = _schedule!;
        while (schedule.Next <= now && _idle.TryPop(out var connection))
        {
            var intended = schedule.Take();
            var (wait, own) = _punctuality.Split(intended, now);
            if (intended >= _countsFrom)
            {
                Result.ConnectionWait.Record(Stamp.Nanoseconds(0, wait));
                Result.Lateness.Record(Stamp.Nanoseconds(0, own));
            }

            _inFlight++;
            connection.Enqueue(requests.Next(), intended, now);
            connection.Flush();
        }

        if (_idle.Count == 0)
        {
            _punctuality.RanOut();
        }

        if (!IsDone && LastDue(now) is var last && last < now && now - last > _patience)
        {
            GiveUp(now);
        }
    }

    // When the last request is due, as far as that is known without taking them all: with many left, later than now.
    private long LastDue(long now)
    {
        var schedule = _schedule!;
        return schedule.End != long.MaxValue ? schedule.End : schedule.Next == long.MaxValue ? schedule.Last : now;
    }

    // Those without an answer have waited at least until now, and count with that.
    private void GiveUp(long now)
    {
        foreach (var connection in _connections)
        {
            if (connection.InFlight > 0 && Counts(connection.Oldest, now))
            {
                Result.TimedOut(connection.Oldest.Start, connection.Oldest.Sent, now);
            }
        }

        while (_schedule!.Next != long.MaxValue)
        {
            var due = _schedule.Take();
            if (due >= _countsFrom)
            {
                Result.NotSent(due, now);
            }
        }

        _inFlight = 0;
        Finish(now);
    }

    // A number of requests has as many shares of the time: the last one lasts until the next request would be due.
    private void Finish(long now)
    {
        IsDone = _inFlight == 0 && _schedule!.Next == long.MaxValue;
        Result.Seconds = SecondsUntil(IsDone ? Math.Max(now, _schedule!.EndOfShares) : now);
    }

    private double SecondsUntil(long now) => Math.Max(0, Stamp.Seconds(_countsFrom, Math.Min(now, _schedule!.End)));
}
