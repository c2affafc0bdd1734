using Weir.Lab.Measuring;

namespace Weir.Lab.Load;

/// <summary>As many requests in flight as connections times depth: the next leaves when one has ended.</summary>
/// <remarks>Finds out how much a server can do; it hides how long users wait once the server stalls.</remarks>
internal sealed class ClosedModel(RequestSet requests, int depth, TimeSpan duration, long most = long.MaxValue) : ILoadModel
{
    // A server that has not answered anybody yet is given this much longer.
    private static readonly long FirstPatience = Clock.TicksOf(5);

    private long _began;
    private long _end;
    private long _sent;

    public LoadResult Result { get; } = new();

    public long NextDue => Result.Completed > 0 ? _end : _end + FirstPatience;

    public bool IsDone { get; private set; }

    public void Begin(IReadOnlyList<LoadConnection> connections, long now)
    {
        _began = now;
        _end = now + Clock.TicksOf(duration.TotalSeconds);
        foreach (var connection in connections)
        {
            for (var i = 0; i < depth; i++)
                Send(connection, now);
        }
    }

    public void Ended(LoadConnection connection, long start, int status, long now)
    {
        var nanoseconds = (long)(Clock.MillisecondsBetween(start, now) * 1_000_000);
        Result.Service.Record(nanoseconds);
        Result.Response.Record(nanoseconds);
        if (status is 200 or 204)
            Result.Completed++;
        else
            Result.Errors++;

        Finish(now);
        if (!IsDone)
            Send(connection, now);
    }

    public void Broke(LoadConnection connection, long now)
    {
        Result.Errors += connection.InFlight;
        Finish(now);
    }

    public void Tick(long now) => Finish(now);

    private void Send(LoadConnection connection, long now)
    {
        if (_sent == most)
            return;

        _sent++;
        connection.Enqueue(requests.Next(), now);
    }

    private void Finish(long now)
    {
        var seen = Result.Completed + Result.Errors;
        if (IsDone || (seen < most && now < (seen > 0 ? _end : _end + FirstPatience)))
            return;

        IsDone = true;
        Result.Seconds = Clock.MillisecondsBetween(_began, now) / 1_000;
    }
}
