using Weir.Load.Measuring;
using Weir.Load.Requests;

namespace Weir.Load.Raw;

/// <summary>As many requests in flight as connections times depth: the next leaves when one has ended.</summary>
/// <remarks>Finds out how much a server can do; it hides how long users wait once the server stalls.</remarks>
internal sealed class ClosedModel(RequestSet requests, int depth, TimeSpan duration, long most = long.MaxValue) : ILoadModel
{
    // A server that has not answered yet gets this much longer.
    private static readonly long FirstPatience = Stamp.Ticks(5);

    private long _countsFrom;
    private long _end;
    private long _sent;
    private long _ended;
    private bool _isPastEnd;

    public LoadResult Result { get; } = new();

    /// <summary>For how long nothing is counted before the duration begins: a crowd that starts at once moves in waves at first.</summary>
    public TimeSpan Skip { get; init; }

    /// <summary>Whether requests in flight at the end of the duration may end, and count.</summary>
    public bool WaitsForLast { get; init; }

    // Once that is past only a response, or its timeout, ends the load: there is nothing to be called for.
    public long NextDue => _isPastEnd ? long.MaxValue : Due;

    public bool IsDone { get; private set; }

    public void Begin(IReadOnlyList<LoadConnection> connections, long now)
    {
        _countsFrom = now + Stamp.Ticks(Skip);
        _end = duration == TimeSpan.MaxValue ? long.MaxValue : _countsFrom + Stamp.Ticks(duration);
        foreach (var connection in connections)
        {
            Ready(connection, now);
        }
    }

    public bool Counts(Exchange exchange, long now) => now >= _countsFrom;

    public void Ready(LoadConnection connection, long now)
    {
        while (!IsDone && connection.InFlight < depth && _sent < most && now < _end)
        {
            _sent++;
            connection.Enqueue(requests.Next(), now, now);
        }
    }

    public void Ended(Exchange exchange, int status, long now)
    {
        if (now >= _countsFrom)
        {
            Result.Answered(exchange.Start, exchange.Sent, status, now, now <= _end);
        }

        _ended++;
        Finish(now);
    }

    public void Failed(Exchange exchange, string kind, long now)
    {
        if (now < _countsFrom)
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

        _ended++;
        Finish(now);
    }

    public void Stop(long now)
    {
        IsDone = true;
        Result.IsStopped = true;
        Result.Unfinished = now >= _countsFrom ? _sent - _ended : 0;
        Result.Seconds = SecondsUntil(now);
    }

    public void Tick(long now) => Finish(now);

    private long Due => WaitsForLast || _ended > 0 ? _end : _end + FirstPatience;

    private void Finish(long now)
    {
        _isPastEnd = now >= Due;
        var isOver = _isPastEnd && (!WaitsForLast || _ended == _sent);
        if (IsDone || !(isOver || _ended == most))
        {
            return;
        }

        IsDone = true;
        Result.Seconds = SecondsUntil(now);
    }

    private double SecondsUntil(long now) => Math.Max(0, Stamp.Seconds(_countsFrom, WaitsForLast ? Math.Min(now, _end) : now));
}
