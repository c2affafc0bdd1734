namespace Showcase;

/// <summary>The connections on which <see cref="Ticks"/> are being sent, by the name of their watcher. Used concurrently.</summary>
public sealed class OpenConnections
{
    private readonly Lock _lock = new();
    private readonly HashSet<(string Watcher, HttpContext Request)> _open = [];

    /// <summary>Aborts the connections of a watcher.</summary>
    /// <returns>How many there were.</returns>
    internal int Abort(string watcher)
    {
        // Under the lock: a request that has ended may already be another one.
        lock (_lock)
        {
            var own = _open.Where(one => one.Watcher == watcher).ToList();
            own.ForEach(static one => one.Request.Abort());
            return own.Count;
        }
    }

    /// <summary>The middleware that notes them.</summary>
    internal async Task RunAsync(HttpContext context, RequestDelegate next)
    {
        var entry = (context.Request.Query["watcher"].ToString(), context);
        lock (_lock)
        {
            _open.Add(entry);
        }

        try
        {
            await next(context);
        }
        finally
        {
            lock (_lock)
            {
                _open.Remove(entry);
            }
        }
    }
}
