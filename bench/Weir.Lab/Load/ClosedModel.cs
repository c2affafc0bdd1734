using Weir.Lab.Measuring;

namespace Weir.Lab.Load;

/// <summary>As many requests in flight as connections times depth: the next leaves when one has ended.</summary>
/// <remarks>Finds out how much a server can do; it hides how long users wait once the server stalls.</remarks>
internal sealed class ClosedModel(RequestSet requests, int depth, TimeSpan duration, long most = long.MaxValue) : ILoadModel
{
    // A server that has not answered yet gets this much longer.
    private static readonly long FirstPatience = Clock.TicksOf(5);

    private long _countsFrom;
    private long _end;
    private long _sent;
    private long _seen;

    public LoadResult Result { get; } = new();

    /// <summary>For how long nothing is counted before the duration begins: a crowd that starts at once moves in waves at first.</summary>
    public TimeSpan Skip { get; init; }

    public long NextDue => _seen > 0 ? _end : _end + FirstPatience;

    public bool IsDone { get; private set; }

    public void Begin(IReadOnlyList<LoadConnection> connections, long now)
    {
        _countsFrom = now + Clock.TicksOf(Skip.TotalSeconds);
        _end = _countsFrom + Clock.TicksOf(duration.TotalSeconds);
        foreach (var connection in connections)
        {
            for (var i = 0; i < depth; i++)
                Send(connection, now);
        }
    }

    public void Ended(LoadConnection connection, long start, int status, long now)
    {
        _seen++;
        if (status is not (200 or 204))
            Result.Errors++;
        else if (now >= _countsFrom)
            Count((long)(Clock.MillisecondsBetween(start, now) * 1_000_000));

        Finish(now);
        if (!IsDone)
            Send(connection, now);
    }

    public void Broke(LoadConnection connection, long now)
    {
        _seen += connection.InFlight;
        Result.Errors += connection.InFlight;
        Finish(now);
    }

    public void Tick(long now) => Finish(now);

    private void Count(long nanoseconds)
    {
        Result.Completed++;
        Result.Service.Record(nanoseconds);
        Result.Response.Record(nanoseconds);
    }

    private void Send(LoadConnection connection, long now)
    {
        if (_sent == most)
            return;

        _sent++;
        connection.Enqueue(requests.Next(), now);
    }

    private void Finish(long now)
    {
        if (IsDone || (_seen < most && now < NextDue))
            return;

        IsDone = true;
        Result.Seconds = Math.Max(0, Clock.MillisecondsBetween(_countsFrom, now)) / 1_000;
    }
}
