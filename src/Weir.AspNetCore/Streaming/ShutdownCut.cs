using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Weir.AspNetCore.Diagnostics;

namespace Weir.AspNetCore.Streaming;

/// <summary>
/// Ends the streams of a host that stops: those that continue on another host at once, and cuts the others that still run shortly before the host's shutdown timeout passes. When it has passed, the server itself aborts
/// connections and waits for them after that: a reader would get no cause, and the host would stop later than its timeout. One per
/// application; used concurrently.
/// </summary>
internal sealed class ShutdownCut : IDisposable
{
    // One second in which a reader takes the last item, one for the server and the pools. For timeouts below eight seconds, a quarter of it.
    private static readonly TimeSpan Reserve = TimeSpan.FromSeconds(2);

    private readonly IOptions<HostOptions> _options;
    private readonly TimeProvider _time;
    private readonly ILogger _log;
    private readonly CancellationTokenSource _begun = new();
    private readonly CancellationTokenSource _due = new();
    private readonly CancellationToken _beginToken;
    private readonly CancellationToken _dueToken;
    private ITimer? _timer;

    /// <param name="options">Has the timeout.</param>
    /// <param name="time">The clock.</param>
    /// <param name="loggers">For failures of what is cancelled.</param>
    public ShutdownCut(IOptions<HostOptions> options, TimeProvider time, ILoggerFactory loggers)
    {
        (_options, _time, _log) = (options, time, loggers.CreateLogger("Weir.AspNetCore"));
        _beginToken = _begun.Token;
        _dueToken = _due.Token;
    }

    /// <summary>Is cancelled when the host begins to stop.</summary>
    internal CancellationToken Begun => _beginToken;

    /// <summary>The host begins to stop. A second call changes nothing.</summary>
    internal void Begin()
    {
        Cancel(_begun);
        var timeout = _options.Value.ShutdownTimeout;
        if (timeout == Timeout.InfiniteTimeSpan || _timer is not null)
        {
            return;
        }

        var reserve = timeout / 4 < Reserve ? timeout / 4 : Reserve;
        _timer = _time.CreateTimer(static state => Cancel(((ShutdownCut)state!)._due), this, timeout - reserve, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Cancels a stream's token when streams are cut, on the thread pool: a slow callback of one operation delays no other stream.</summary>
    /// <param name="stream">Its token source may be disposed before.</param>
    /// <param name="isMovable">Whether its reader can continue it on another host: then as soon as the host begins to stop.</param>
    internal CancellationTokenRegistration Register(CancellationTokenSource stream, bool isMovable) =>
        (isMovable ? _beginToken : _dueToken).UnsafeRegister(state => _ = CancelAsync((CancellationTokenSource)state!), stream);

    public void Dispose()
    {
        _timer?.Dispose();
        _begun.Dispose();
        _due.Dispose();
    }

    // A timer callback must not throw.
    private static void Cancel(CancellationTokenSource source)
    {
        try
        {
            source.Cancel();
        }
        catch (ObjectDisposedException)
        {
            // The application has ended.
        }
    }

    private async Task CancelAsync(CancellationTokenSource stream)
    {
        try
        {
            await stream.CancelAsync();
        }
        catch (ObjectDisposedException)
        {
            // The stream has ended.
        }
        catch (Exception failure)
        {
            _log.ShutdownCutFailed(failure);
        }
    }
}
